// SPDX-License-Identifier: GPL-3.0-or-later
// The graph on its canvas: sigma over a graphology graph that is made from the structure. Follows the signals until it is killed.
import { effect } from "@preact/signals";
import { MultiDirectedGraph } from "graphology";
import type Sigma from "sigma";
import { EdgeArrowProgram, EdgeLineProgram, EdgeRectangleProgram, EdgeTriangleProgram } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData } from "sigma/types";
import { relationOf } from "../base/relations";
import { openNode, region, session } from "../base/state";
import { still } from "../base/theme";
import { drawNames, drawRings, drawTitles, hoverDrawing, measureBy, NAME_FONT_PX, type Ring } from "./drawing";
import { placeTitles, type Candidate, type Measure } from "./labels";
import { Circles, OneLayer, Points, Unseen, type EdgeData, type NodeData } from "./one_layer";
import { edgeColour, groupColour, palette, softened } from "./palette";
import type { Structure } from "./reach";
import { groupIndex, hiddenTypes, PADDING, RING_MS, standout, structure, traces } from "./view";

const MANY_EDGES = 4000; // from here on thin lines and points, and while things move no lines and titles
const MANY_NODES = 1500;
const STRONG_EDGES = 120; // up to here lines have their whole colour
const LEAST_SHARE = 0.45;
const TITLE_AREA_PX = 26 * 26; // if a node has less area than this, only the names of chapters and the title of the open node are drawn
const LABEL_PX = 12;
const LEAST_SIZE = 2.2;
const MOST_SIZE = 9;
const MOST_RINGS = 400;
const DRAG_MS = 350; // without a movement: then the drag rests, and what was hidden is drawn again
const MOVE_MS = 350;
const PAN_PX = 60;
const ZOOM = 1.5;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

const NODE = "circle";
const LINE = "line";
const NEAR_PX = 3; // beside a node still counts as on it

type Drawn = MultiDirectedGraph<NodeData, EdgeData>;

function areMany(nodes: number, edges: number): boolean {
  return edges > MANY_EDGES || nodes > MANY_NODES;
}
function isLarge({ nodes, edges }: Structure): boolean {
  return areMany(nodes.length, edges.length);
}

// Edges of large graphs are drawn weaker, so that nodes and titles remain visible.
function share({ edges }: Structure): number {
  return Math.max(LEAST_SHARE, Math.min(1, STRONG_EDGES / edges.length));
}

// By the distance between the nodes when all are in view.
function nodeSize({ layout }: Structure, place: HTMLElement): number {
  const extent = (along: Float64Array) => along.reduce((most, at) => Math.max(most, at), 0) - along.reduce((least, at) => Math.min(least, at), 0);
  const step = Math.min((place.clientWidth - 2 * PADDING) / Math.max(1, extent(layout.x)),
    (place.clientHeight - 2 * PADDING) / Math.max(1, extent(layout.y)));
  // Up to three lines are below each lesson of a chapter.
  return Math.max(LEAST_SIZE, Math.min(MOST_SIZE, step / (layout.blocks.length > 0 ? 9 : 5)));
}

function build(from: Structure, size: number): Drawn {
  const graph: Drawn = new MultiDirectedGraph();
  const colours = palette.peek();
  const of = groupIndex.peek();
  from.nodes.forEach((node, i) => {
    if (graph.hasNode(node.node_id)) return;
    graph.addNode(node.node_id, { x: from.layout.x[i], y: from.layout.y[i], size, room: from.layout.room[i],
      tall: from.layout.tall[i],
      label: node.title || node.node_id, type: NODE,
      color: groupColour(colours, of.get(from.group[i]) ?? 0) });
  });
  const large = isLarge(from);
  const keep = share(from);
  for (const edge of from.edges) {
    const type = edge.relationship_type === "ENRICHMENT" && !large ? "wedge" : LINE;
    graph.addEdge(edge.from_node_id, edge.to_node_id, { size: large ? 1 : relationOf(edge.relationship_type).width * (0.5 + keep / 2), type, kind: edge.relationship_type,
      color: softened(edgeColour(colours, edge.relationship_type), colours, keep) });
  }
  return graph;
}

export class GraphCanvas {
  private readonly sigma: OneLayer;
  private readonly pen: CanvasRenderingContext2D | null;
  private readonly stops: (() => void)[] = [];
  private readonly watch: ResizeObserver;
  private drawn: Structure;
  private graph: Drawn; // of drawn
  private fading = 0;
  private noted = "";
  private killed = false;
  private readonly large: boolean;
  private readonly measure: Measure;

  // onLost: WebGL has failed. onOther: a small curriculum has become a large one or the other way, which is drawn by other means.
  constructor(private readonly place: HTMLElement, onLost: () => void, private readonly onOther: () => void) {
    this.drawn = structure.peek();
    // It is there before the curriculum is: a browser takes a moment to make it, in which that is on its way.
    const expected = session.peek();
    this.large = this.drawn.nodes.length > 0 ? isLarge(this.drawn) : areMany(expected?.nodes ?? 0, expected?.relationships ?? 0);
    const { large } = this;
    this.graph = build(this.drawn, nodeSize(this.drawn, place));
    // It draws before its constructor has returned, when titles and styles are not available yet: so it begins empty.
    this.sigma = new OneLayer(new MultiDirectedGraph<NodeData, EdgeData>(), place, {
      allowInvalidContainer: true,
      defaultEdgeType: LINE,
      defaultNodeType: NODE,
      // Each program takes time to compile: only those in use, under the names for which sigma would otherwise use its own.
      nodeProgramClasses: { [NODE]: large ? Points : Circles },
      nodeHoverProgramClasses: { [NODE]: Unseen },
      edgeProgramClasses: large ? { [LINE]: EdgeLineProgram, arrow: EdgeArrowProgram }
        : { [LINE]: EdgeRectangleProgram, wedge: EdgeTriangleProgram, arrow: EdgeArrowProgram },
      hideEdgesOnMove: large,
      dragTimeout: DRAG_MS,
      hideLabelsOnMove: large,
      labelFont: FONT,
      labelSize: LABEL_PX,
      labelRenderedSizeThreshold: Infinity, // drawLabels chooses
      stagePadding: PADDING,
      minCameraRatio: 0.01,
      maxCameraRatio: 2.5,
      zIndex: !large,
      defaultDrawNodeHover: hoverDrawing(() => palette.peek()),
      nodeReducer: (node, data) => this.showNode(node, data),
      edgeReducer: (edge, data) => this.showEdge(edge, data),
    });
    const context = this.sigma.getCanvases().labels.getContext("2d")!;
    this.measure = measureBy(context);
    Object.assign(this.sigma, { getNodeAtPosition: (place: { x: number; y: number }) => this.nodeAt(place),
      renderLabels: () => this.drawLabels(context) });
    this.sigma.createCanvasContext("rings", { beforeLayer: "labels" } as object).resize(true); // sigma's types do not know its place
    this.pen = this.sigma.getCanvases().rings.getContext("2d");
    for (const canvas of Object.values(this.sigma.getCanvases())) {
      canvas.setAttribute("aria-hidden", "true");
      canvas.addEventListener("webglcontextlost", () => {
        if (!this.killed) onLost(); // killing gives the context back, which looks the same
      });
    }
    this.sigma.on("enterNode", () => place.classList.add("over-node"));
    this.sigma.on("leaveNode", () => place.classList.remove("over-node"));
    this.sigma.on("clickNode", ({ node }) => {
      openNode.value = node;
      region.value = "node";
    });
    this.sigma.on("afterRender", () => {
      this.drawRings();
      this.note();
    });
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(place);
    this.sigma.setGraph(this.graph);
    this.follow();
  }

  kill(): void {
    this.killed = true;
    for (const stop of this.stops) stop();
    cancelAnimationFrame(this.fading);
    this.watch.disconnect();
    this.sigma.kill();
  }

  // What changes what is drawn. The first run of each is for nothing: all is drawn as it is.
  private follow(): void {
    const on = (read: () => unknown, act: () => void) => {
      let first = true;
      this.stops.push(effect(() => {
        read();
        if (!first) act();
        first = false;
      }));
    };
    on(() => structure.value, () => this.rebuild());
    on(() => palette.value, () => this.recolour());
    on(() => [openNode.value, hiddenTypes.value], () => this.sigma.refresh());
    on(() => traces.value, () => this.fade());
    on(() => standout.value, () => {
      this.sigma.refresh();
      if (standout.peek()) this.showStandout();
    });
  }

  // Once for each curriculum that is opened: for whoever measures. By the second frame the first, with all of it, has been shown.
  private note(): void {
    const sid = session.peek()?.session_id;
    if (!sid || sid === this.noted || this.graph.order === 0 || this.sigma.getGraph() !== this.graph) return;
    this.noted = sid;
    const detail = { session: sid, nodes: this.graph.order, edges: this.graph.size };
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("lectern.graph", { detail })));
  }

  private resize(): void {
    if (this.place.clientWidth === 0) return; // not shown now
    const { width, height } = this.sigma.getDimensions();
    if (width !== this.place.clientWidth || height !== this.place.clientHeight) {
      const size = nodeSize(this.drawn, this.place);
      this.graph.updateEachNodeAttributes((_, data) => ({ ...data, size }), { attributes: ["size"] });
      this.sigma.refresh(); // measures its place first
    }
    this.drawRings();
  }

  private rebuild(): void {
    this.drawn = structure.peek();
    if (this.drawn.nodes.length > 0 && isLarge(this.drawn) !== this.large) {
      this.onOther();
      return;
    }
    this.graph = build(this.drawn, nodeSize(this.drawn, this.place));
    this.sigma.setGraph(this.graph);
  }

  private recolour(): void {
    const colours = palette.peek();
    const of = groupIndex.peek();
    this.graph.updateEachNodeAttributes((node, data) => {
      const i = this.drawn.index.get(node);
      return { ...data, color: groupColour(colours, i === undefined ? 0 : of.get(this.drawn.group[i]) ?? 0) };
    });
    this.graph.updateEachEdgeAttributes((_, data) => ({ ...data, color: softened(edgeColour(colours, data.kind), colours, share(this.drawn)) }));
    this.sigma.refresh();
  }

  // The open node first, then the highlighted ones, then by number of relationships.
  private candidates(): Candidate[] {
    const step = this.room(), open = openNode.peek(), out = standout.peek();
    const { width, height } = this.sigma.getDimensions();
    const { before, after, nodes } = this.drawn;
    const found: (Candidate & { rank: number })[] = [];
    nodes.forEach(({ node_id: key }, i) => {
      const data = this.sigma.getNodeDisplayData(key);
      const own = data && this.graph.getNodeAttributes(key);
      if (!data?.label || !own) return;
      const { x, y } = this.sigma.framedGraphToViewport(data);
      if (x < 0 || y < 0 || x > width || y > height) return;
      const forced = key === open || data.forceLabel;
      const rank = key === open ? Infinity : (out?.nodes.has(key) ? 1e6 : 0) + before[i].length + after[i].length;
      found.push({ key, x, y, size: this.sigma.scaleSize(data.size), text: data.label, room: step * own.room, tall: step * own.tall, forced, rank });
    });
    return found.sort((a, b) => b.rank - a.rank);
  }

  private drawLabels(context: CanvasRenderingContext2D): void {
    if (this.sigma.getGraph() !== this.graph) return;
    const colours = palette.peek(), step = this.room();
    context.font = `650 ${NAME_FONT_PX}px ${FONT}`;
    const names = drawNames(context, colours, this.drawn.layout.blocks.map(({ name, x, y, width }) =>
      ({ name, ...this.sigma.graphToViewport({ x, y }), width: step * width })));
    context.font = `${LABEL_PX}px ${FONT}`;
    const all = this.candidates();
    const { width, height } = this.sigma.getDimensions();
    const readable = width * height >= TITLE_AREA_PX * all.length;
    const titles = placeTitles(readable ? all : all.filter(({ forced }) => forced), { width, height }, this.measure, names);
    drawTitles(context, colours, titles);
    // For whoever measures.
    this.place.dataset.titles = String(titles.length);
    this.place.dataset.chapters = String(names.length);
  }

  // How many pixels one step of the layout is now.
  private room(): number {
    const a = this.sigma.graphToViewport({ x: 0, y: 0 });
    const b = this.sigma.graphToViewport({ x: 1, y: 0 });
    return Math.hypot(b.x - a.x, b.y - a.y) * 0.94;
  }

  private showNode(node: string, data: NodeData): Partial<NodeDisplayData> {
    const out = standout.peek();
    if (node === openNode.peek()) return { ...data, size: data.size * 1.25, forceLabel: true, zIndex: 2 };
    if (!out) return data;
    if (!out.nodes.has(node)) return { ...data, color: palette.peek().faintNode, label: null, zIndex: 0 };
    return { ...data, zIndex: 1, forceLabel: out.nodes.size <= 12 };
  }

  private showEdge(edge: string, data: EdgeData): Partial<EdgeDisplayData> {
    if (hiddenTypes.peek().has(data.kind)) return { ...data, hidden: true };
    const [from, to] = this.graph.extremities(edge);
    const out = standout.peek();
    const open = openNode.peek();
    if (out) {
      if (!out.nodes.has(from) || !out.nodes.has(to)) return { ...data, color: palette.peek().faintEdge, zIndex: 0 };
      return { ...data, type: out.nodes.size <= MOST_RINGS ? "arrow" : data.type, size: 2, zIndex: 1 };
    }
    if (open === from || open === to) return { ...data, type: "arrow", size: 2.2, color: palette.peek().accent, zIndex: 1 };
    return data;
  }

  private nodeAt(place: { x: number; y: number }): string | null {
    const at = this.sigma.viewportToFramedGraph(place);
    const beside = this.sigma.viewportToFramedGraph({ x: place.x + 1, y: place.y });
    const pixel = Math.hypot(beside.x - at.x, beside.y - at.y);
    let nearest: string | null = null;
    let least = 1;
    for (const { node_id: id } of this.drawn.nodes) {
      const data = this.sigma.getNodeDisplayData(id);
      if (!data) continue;
      const far = Math.hypot(data.x - at.x, data.y - at.y) / ((this.sigma.scaleSize(data.size) + NEAR_PX) * pixel);
      if (far < least) {
        least = far;
        nearest = id;
      }
    }
    return nearest;
  }

  private rings(): Ring[] {
    const colours = palette.peek();
    const rings: Ring[] = [];
    const out = standout.peek();
    if (out && out.nodes.size <= MOST_RINGS)
      for (const node of out.nodes) rings.push({ node, colour: colours.accent, width: 1.5, gap: 3, alpha: 1 });
    const open = openNode.peek();
    if (open) rings.push({ node: open, colour: colours.accent, width: 3, gap: 4, alpha: 1 });
    const now = Date.now();
    for (const [node, trace] of traces.peek()) {
      const age = (now - trace.at) / RING_MS;
      if (age >= 1) continue;
      const [gap, alpha] = still.peek() ? [7, 1] : [7 + 5 * age, Math.min(1, 1.5 * (1 - age))];
      rings.push({ node, colour: colours.trace, width: 3, gap, alpha, text: trace.who });
    }
    return rings;
  }

  private drawRings(): void {
    if (this.pen) drawRings(this.sigma as unknown as Sigma, this.pen, this.rings());
  }

  // While a ring fades, only the rings are redrawn.
  private fade(): void {
    cancelAnimationFrame(this.fading);
    const step = () => {
      this.drawRings();
      const now = Date.now();
      if ([...traces.peek().values()].some(trace => now - trace.at < RING_MS + 100)) this.fading = requestAnimationFrame(step);
    };
    step();
  }

  // ---- the camera ----

  private move(state: { x?: number; y?: number; ratio?: number }): void {
    const camera = this.sigma.getCamera();
    if (still.peek()) camera.setState(camera.validateState(state));
    else void camera.animate(state, { duration: MOVE_MS });
  }

  zoom(by: "in" | "out"): void {
    const camera = this.sigma.getCamera();
    this.move({ ratio: camera.getBoundedRatio(by === "in" ? camera.ratio / ZOOM : camera.ratio * ZOOM) });
  }

  fit(): void {
    this.move({ x: 0.5, y: 0.5, ratio: 1 });
  }

  pan(right: number, down: number): void {
    const camera = this.sigma.getCamera();
    const a = this.sigma.viewportToFramedGraph({ x: 0, y: 0 });
    const b = this.sigma.viewportToFramedGraph({ x: right * PAN_PX, y: down * PAN_PX });
    this.move({ x: camera.x + b.x - a.x, y: camera.y + b.y - a.y });
  }

  // So that all of these are in view, and no nearer than what makes titles readable.
  show(ids: Iterable<string>): void {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const id of ids) {
      const data = this.sigma.getNodeDisplayData(id);
      if (!data) continue;
      left = Math.min(left, data.x);
      right = Math.max(right, data.x);
      low = Math.min(low, data.y);
      high = Math.max(high, data.y);
    }
    if (left === Infinity) return;
    const { width, height } = this.sigma.getDimensions();
    const whole = { cameraState: { x: 0.5, y: 0.5, ratio: 1, angle: 0 } };
    const a = this.sigma.viewportToFramedGraph({ x: 0, y: 0 }, whole);
    const b = this.sigma.viewportToFramedGraph({ x: width, y: height }, whole);
    const needed = Math.max((right - left) / Math.abs(b.x - a.x), (high - low) / Math.abs(b.y - a.y)) * 1.35;
    const readable = this.sigma.getCamera().ratio * Math.max(0.05, this.room() / 90);
    this.move({ x: (left + right) / 2, y: (low + high) / 2, ratio: Math.min(1.1, Math.max(needed, Math.min(readable, 1))) });
  }

  isInView(id: string): boolean {
    const data = this.sigma.getNodeDisplayData(id);
    if (!data) return false;
    const { x, y } = this.sigma.framedGraphToViewport(data);
    return x > 20 && y > 20 && x < this.place.clientWidth - 20 && y < this.place.clientHeight - 20;
  }

  // The camera stays while part of the search result is visible; for other highlights it moves.
  private showStandout(): void {
    const out = standout.peek();
    if (!out || this.place.clientWidth === 0) return;
    if (out.words.startsWith("Found") && out.inOrder.some(id => this.isInView(id))) return;
    if (![...out.inOrder].every(id => this.isInView(id)) || out.inOrder.length <= 40) this.show(out.inOrder);
  }
}

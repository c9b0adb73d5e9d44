// SPDX-License-Identifier: GPL-3.0-or-later
// Sigma with one WebGL context. Of itself it has three (edges, nodes, the node under the pointer), and pictures of two of them to find
// by their colours what is under the pointer. Where there is no graphics card each context waits for all that the browser is painting,
// is drawn and laid over the page by itself in each frame, and the pictures are made anew for each. So here nodes share the context of
// the edges and are drawn behind them in time, so above them; the node under the pointer is drawn with the pen (drawing.ts), and is
// found by its place (canvas.ts).
import Sigma from "sigma";
import { NodeCircleProgram, NodePointProgram } from "sigma/rendering";
import type { NodeProgramType } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from "sigma/types";

export type NodeData = Pick<NodeDisplayData, "x" | "y" | "size" | "color" | "label" | "type"> & { room: number; tall: number };
export type EdgeData = Pick<EdgeDisplayData, "size" | "color" | "type"> & { kind: string };
type Renderer = Sigma<NodeData, EdgeData>;

// What sigma keeps for itself, of which createWebGLContext is to leave what its other methods go through.
interface Layers {
  elements: Record<string, HTMLCanvasElement>;
  webGLContexts: Record<string, Pick<WebGLRenderingContext, "viewport" | "clear" | "getExtension">>;
}
// In the place of a context in which nothing is ever drawn. The real thing would be the shared one, which must not be cleared when the
// pointer comes upon a node.
const NOTHING: Layers["webGLContexts"][string] = { viewport() {}, clear() {}, getExtension: () => null };

export class OneLayer extends Sigma<NodeData, EdgeData> {
  override createWebGLContext(id: string, options: object = {}): WebGLRenderingContext {
    const { elements, webGLContexts } = this as unknown as Layers;
    if (id === "edges") return super.createWebGLContext(id, { ...options, picking: false });
    elements[id] = elements.edges;
    webGLContexts[id] = id === "nodes" ? webGLContexts.edges : NOTHING;
    return webGLContexts[id] as WebGLRenderingContext;
  }
}

// Programs of nodes are asked to draw before those of edges. These wait until all edges are there.
function last(Program: typeof NodeCircleProgram | typeof NodePointProgram): NodeProgramType<NodeData, EdgeData> {
  return class extends (Program as typeof NodeCircleProgram<NodeData, EdgeData>) {
    private due: RenderParams | null = null;

    constructor(gl: WebGLRenderingContext, _picture: WebGLFramebuffer | null, renderer: Renderer) {
      super(gl, null, renderer);
      renderer.on("afterRender", () => {
        if (this.due) super.render(this.due);
        this.due = null;
      });
    }

    override render(params: RenderParams): void {
      this.due = params;
    }
  };
}
export const Circles = last(NodeCircleProgram);
export const Points = last(NodePointProgram); // for many: circles are drawn one by one where there is no graphics card

// The program of the node under the pointer.
export class Unseen {
  drawLabel = undefined;
  drawHover = undefined;
  kill(): void {}
  reallocate(): void {}
  process(): void {}
  render(): void {}
}

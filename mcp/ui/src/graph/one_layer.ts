// SPDX-License-Identifier: GPL-3.0-or-later
// Sigma with one WebGL context. By default it has three (edges, nodes, the node under the pointer), and renders two of them again into
// textures, to find by colour what is under the pointer. Without a GPU each context waits for the painting of the browser, is drawn and
// composited separately in each frame, and the textures are rendered each time. So here nodes share the context of the edges and are drawn
// after, and thus above them; the node under the pointer is drawn on a 2D canvas (drawing.ts), and found by its position (canvas.ts).
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
// Replaces a context in which nothing is drawn. The shared context must not be cleared when the pointer enters a node.
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

// Sigma draws nodes before edges. These programs wait until all edges are drawn.
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
export const Points = last(NodePointProgram); // for many: without a GPU, circles are drawn one by one

// The program of the node under the pointer.
export class Unseen {
  drawLabel = undefined;
  drawHover = undefined;
  kill(): void {}
  reallocate(): void {}
  process(): void {}
  render(): void {}
}

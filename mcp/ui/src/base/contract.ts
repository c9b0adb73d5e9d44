// SPDX-License-Identifier: GPL-3.0-or-later
// Generated from the server's tables by tests/unit/test_page_contract.c, which says how.

export const componentTypes = [
  {
    name: "heading",
    use: "the beginning of a section",
    parameters: [
      { name: "text", type: "text", required: true },
    ],
  },
  {
    name: "paragraph",
    use: "plain explanation, a few sentences",
    parameters: [
      { name: "text", type: "text", required: true },
    ],
  },
  {
    name: "memory-trick",
    use: "a mnemonic or image that helps to recall",
    parameters: [
      { name: "text", type: "text", required: true },
    ],
  },
  {
    name: "definition",
    use: "one term, where it first matters",
    parameters: [
      { name: "term", type: "text", required: true },
      { name: "definition", type: "text", required: true },
    ],
  },
  {
    name: "step-sequence",
    use: "a procedure, one action a step",
    parameters: [
      { name: "steps", type: "text-list", required: true },
    ],
  },
  {
    name: "worked-example",
    use: "one task solved with its reasoning",
    parameters: [
      { name: "problem", type: "text", required: true },
      { name: "solution", type: "text", required: true },
      { name: "answer", type: "text", required: true },
    ],
  },
  {
    name: "callout-box",
    use: "a warning, tip or key fact that must stand out",
    parameters: [
      { name: "text", type: "text", required: true },
      { name: "style", type: "choice", required: false, choices: ["tip", "warning", "important", "info"] },
    ],
  },
  {
    name: "two-pictures",
    use: "two things side by side, such as before and after",
    parameters: [
      { name: "pictures", type: "pictures", required: true, count: 2 },
    ],
  },
  {
    name: "three-pictures",
    use: "three cases or stages in pictures",
    parameters: [
      { name: "pictures", type: "pictures", required: true, count: 3 },
    ],
  },
  {
    name: "four-pictures",
    use: "four cases or stages in pictures",
    parameters: [
      { name: "pictures", type: "pictures", required: true, count: 4 },
    ],
  },
  {
    name: "hero-number",
    use: "one figure, chart or drawing that carries the lesson",
    parameters: [
      { name: "visual_type", type: "choice", required: true, choices: ["text", "image", "pie-chart", "bar-chart", "fraction-circle", "svg"] },
      { name: "visual_content", type: "text", required: true },
      { name: "caption", type: "text", required: false },
      { name: "background_style", type: "choice", required: false, choices: ["purple", "blue", "green", "orange", "red", "dark", "light"] },
      { name: "chart_data", type: "chart", required: false },
    ],
  },
  {
    name: "three-svgs",
    use: "three ideas, each a drawing with title and description",
    parameters: [
      { name: "title1", type: "text", required: true },
      { name: "title2", type: "text", required: true },
      { name: "title3", type: "text", required: true },
      { name: "description1", type: "text", required: true },
      { name: "description2", type: "text", required: true },
      { name: "description3", type: "text", required: true },
      { name: "svg1", type: "text", required: false },
      { name: "svg2", type: "text", required: false },
      { name: "svg3", type: "text", required: false },
    ],
  },
] as const;

export const pictureFields = ["title", "body", "svgCode", "imagePath", "imageUrl"] as const;
export const relationshipTypes = ["LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE", "ENRICHMENT"] as const;
export type RelationshipType = (typeof relationshipTypes)[number];

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder of Markdown that people can edit, with one file for each node.
 *
 *   ---                                        front matter: the node's fields, as YAML
 *   node_id: N001
 *   title: Equivalent fractions
 *   ---
 *
 *   <!-- component: definition -->             a component: its type, then its text
 *   **term:** multiple
 *
 *   **definition:** What you get when you multiply.
 *
 *   <!-- component: callout-box {"confidence":0.9,"parameters":{"style":"tip"}} -->
 *   > Additional fields are in the mark, as JSON.
 *
 * A heading is "## text", a paragraph plain text, memory tricks and callout boxes are quotes (">
 * "), steps a numbered list, and all other types fields as above. Text that this would not return
 * byte for byte, and parameters that are not texts, are in a fence "```yaml parameters"; a
 * component that is not an object is in a fence "```json" after "<!-- component -->".
 * curriculum.yaml lists the files of the nodes in their order, the relationships, and the
 * curriculum's other fields; "usual" there says which fields of a component follow from its type,
 * place and text.
 *
 * Files that are not listed are ordinary notes: title from front matter, the first heading or the
 * file's name; text as paragraphs, headings and step sequences; links to other files become
 * relationships LEADS_TO.
 */
#ifndef LECTERN_SESSION_FORMAT_MARKDOWN_H
#define LECTERN_SESSION_FORMAT_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/curriculum/findings.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"

#define MARKDOWN_INDEX "curriculum.yaml"
/* The endings of notes. */
extern const char *const markdown_suffixes[];
#define MARKDOWN_KIND "markdown 1" /* of curriculum.yaml's key "lectern" */

/* Fields of a component that follow from the rest, by name; an array of bits. */
enum component_shape {
    SHAPE_TYPE = 1,           /* "type" */
    SHAPE_COMPONENT_TYPE = 2, /* "component_type" */
    SHAPE_ORDER = 4,          /* "order", the place in the node */
    SHAPE_ORDER_INDEX = 8,    /* "order_index" */
    SHAPE_CONTENT = 16,       /* "content", the same as parameters.text */
    SHAPE_USUAL = SHAPE_TYPE | SHAPE_ORDER,
};
#define SHAPES 32
json_t *shape_names(unsigned shape);
unsigned shape_of_names(const json_t *names); /* unknown ones are nothing */
unsigned shape_of(const json_t *component, size_t place);

/* Appends one component, its mark first. place: from 1. */
int component_write(struct buf *to, const json_t *component, size_t place, unsigned usual,
                    struct error *err);
/* Whether a line is a component's mark. */
bool component_is_mark(const char *line, size_t len);
/* mark is the line; body is the text after it, up to the next mark. line is the number of the
 * mark's line, for errors with name. */
json_t *component_read(const char *mark, size_t mark_len, const char *body, size_t body_len,
                       size_t place, unsigned usual, const char *name, size_t line,
                       struct error *err);

/* Appends a component's body for readers: as above, without a mark and without what is only in
 * marks. Types without a form are fields. False, with nothing appended, if a parameter is no text.
 */
bool body_has_form(const char *type); /* other than fields */
bool body_write_plain(struct buf *to, const char *type, const json_t *parameters);

/* The parameters that a body's text gives, by the component's type, or NULL. */
json_t *body_read(const char *type, const char *body, size_t len, const char *name, size_t line,
                  struct error *err);

/* A whole file. */
int node_write(struct buf *to, const json_t *node, unsigned usual, struct error *err);
/* note: where the file is an ordinary one, of which nothing is refused but bytes that are no UTF-8:
 * what cannot be read as intended is kept as text, and said. NULL: an exported one. */
struct note;
json_t *node_read(const struct buf *text, const char *name, unsigned usual, struct note *note,
                  struct error *err);

/* An ordinary note besides its node. */
struct note {
    json_t *links; /* [{"kind": "path", "wiki", "embed", "needs" or "next", "to", "line"}]; owned */
    size_t properties;     /* of the links, the first that may be of a property in this paragraph */
    bool needs;            /* the links stand below a heading of prerequisites */
    json_t *title;         /* of its first heading; owned; or NULL */
    struct findings *said; /* borrowed; or NULL */
    size_t rules;          /* lines between paragraphs ("---"), which are left out */
};
void note_finish(struct note *note);

/* Whether a field that names the node is a text with content. Other values than null become one, as
 * JSON. */
bool node_name_field(json_t *node, const char *key);

/* The bytes of a file as UTF-8 without NUL and byte order mark, with "\n" at the end of each line
 * (markdown_text.c). Changes are said. */
void note_decode(struct buf *text, const char *name, struct findings *said);

/* The front matter of a note, of which len bytes stand between its two lines "---": a new object,
 * or NULL if it is none (markdown_front.c). line: of its first line. Lines without a key go to
 * rest. */
json_t *front_read(const char *text, size_t len, const char *name, size_t line,
                   struct findings *said, struct buf *rest);

/* Says which comments of front matter are left out; a value that is one ("tags: #maths") becomes a
 * text of fields. */
void front_comments(json_t *fields, const char *text, size_t len, const char *name, size_t line,
                    struct findings *said);

/* Front matter of another form at the top of a note (markdown_front_other.c): a new object, or NULL
 * if there is none. *used: its bytes. */
json_t *front_read_other(const char *text, size_t len, const char *name, struct findings *said,
                         size_t *used);
/* The text between two lines "+++": a new object (markdown_toml.c). */
json_t *toml_front_read(const char *text, size_t len, const char *name, size_t line,
                        struct findings *said);

/* Writes admonitions of MkDocs ("!!! note") and Docusaurus (":::note") as the callouts that
 * Obsidian has, in place (markdown_admonition.c). line: of the text's first. */
void admonitions_as_quotes(struct buf *text, const char *name, size_t line, struct findings *said);

/* Appends the links of a note's text to note->links, without those in code (markdown_link.c).
 * starts: of its lines, one more than there are. */
struct cmark_node;
void links_find(struct cmark_node *document, const char *text, const size_t *starts, size_t lines,
                size_t first_line, struct note *note);

/* The relationship that the name of a property means: "needs", "next" or NULL
 * (markdown_property.c). *is_sure: its values are notes and nothing else. */
const char *property_kind(const char *name, size_t len, bool *is_sure);
/* Whether it is a property of the text, or a heading, whose links are prerequisites. */
bool property_is_need(const char *name, size_t len);
/* Appends the links of properties in a paragraph to note->links. line: of its first. */
void properties_find(const char *text, size_t len, size_t line, struct note *note);
/* Whether the last paragraph has a property with that link. */
bool properties_have(const struct note *note, const char *to, size_t len);

/* The notes of a folder by the names that links give them. */
struct link_index;
struct link_index *links_index(void); /* NULL without memory */
void links_index_free(struct link_index *index);
void links_index_add(struct link_index *index, const char *file, const json_t *node);
/* The file that a link in the file from means, or NULL; valid as long as the index. by_name: as
 * wikis write it; *many: several notes have that name. */
const char *link_by_name(const struct link_index *index, const char *from, const char *name,
                         bool *many);
const char *link_by_path(const struct link_index *index, const char *from, const char *link);
bool link_is_path(const char *link); /* neither an address with a scheme nor a part of a page */
bool link_is_attachment(const char *link); /* by its ending: a picture, a sheet */

/* The curriculum in one text (text.c): a lesson for each heading of level 1. title: of a lesson
 * that has front matter without one; or NULL. */
json_t *notes_read(const char *text, size_t len, const char *title, struct format_report *report,
                   struct error *err);

#endif

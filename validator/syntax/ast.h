/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The syntax tree of a Python 3.11 program: nodes of one size in one array, linked by number (first
 * child, next sibling). Node 0 is the module. The children of a node are in the order of the table
 * below, which is the order in which Python evaluates them; "[x]" is optional, "x*" is any number,
 * "x+" is at least one.
 *
 * Node numbers do not follow the order of the source; follow the links. The tree is never deeper
 * than VALIDATOR_TREE_CAP, so a walk may recurse.
 */
#ifndef LECTERN_VALIDATOR_AST_H
#define LECTERN_VALIDATOR_AST_H

#include "helpers/base/buf.h"

struct report;

/* Makes room for one more row of an array that has room for *size, or for `first` rows at its first
 * use. Returns false if out of memory. */
bool ast_enlarge(void **rows, uint32_t *size, size_t row_size, uint32_t first);
static inline bool ast_grow(void **rows, uint32_t count, uint32_t *size, size_t row_size,
                            uint32_t first)
{
    return count < *size || ast_enlarge(rows, size, row_size, first);
}
#define AST_FIRST_ROWS 64

/* The distinct names of a program, numbered. Names are compared as numbers, and what the policy
 * says about a name is looked up once. Names that are not ASCII are stored in NFKC, as Python
 * compares them. */

#define SYMBOL_NONE 0 /* no name; real ones begin at 1 */

struct symbol {
    uint32_t at;     /* byte of the source, or of `names` with SYMBOL_OWN */
    uint32_t hash;   /* of the text */
    uint32_t length; /* bytes */
    uint16_t flags;
};

enum symbol_flags {
    SYMBOL_OWN = 1 << 0,   /* the text was normalised or assembled, and is stored in `names` */
    SYMBOL_MIXED = 1 << 1, /* ASCII letters beside look-alikes of another alphabet */
};

struct symbols {
    const char *source;  /* borrowed */
    struct symbol *rows; /* owned; row 0 is SYMBOL_NONE */
    uint32_t count, size;
    uint32_t *slots; /* owned; open addressing, slot_count is a power of two */
    uint32_t slot_count;
    struct buf names;
    size_t probes; /* failed probes */
    bool crowded; /* too many failed probes: the names were chosen to collide; nothing is added from
                     now on */
    bool failed;  /* out of memory */
};

/* Returns the number of the name source[at..at+len). non_ascii: normalise it first. SYMBOL_NONE
 * only if out of memory or crowded. */
uint32_t symbols_add(struct symbols *symbols, uint32_t at, uint32_t len, bool non_ascii);

/* Does the same for a text that is not in the source as such, like a dotted name with spaces around
 * a dot. It is copied. */
uint32_t symbols_add_text(struct symbols *symbols, const char *text, size_t len);

/* The number of a text; SYMBOL_NONE if the program does not contain it. */
uint32_t symbols_find(const struct symbols *symbols, const char *text, size_t len);

/* Borrowed until the next addition; not NUL-terminated. */
const char *symbols_text(const struct symbols *symbols, uint32_t symbol, size_t *len);

/* ---- the tree ---- */

#define NODE_NONE 0 /* no child, no sibling: the module is neither */

enum node_kind {
    NODE_MODULE, /* statement*                                                                  */

    /* Parts of statements. */
    NODE_BLOCK,      /* statement+                                                               */
    NODE_ELSE,       /* statement+: of if, for, while, try                                       */
    NODE_FINALLY,    /* statement+                                                               */
    NODE_ELIF,       /* test, BLOCK                                                              */
    NODE_DECORATOR,  /* expression                                                               */
    NODE_PARAMETERS, /* PARAMETER*, in the order of the source                                  */
    NODE_PARAMETER,  /* [annotation] [default]; name; op: enum parameter_kind;
                        NODE_HAS_ANNOTATION, NODE_HAS_DEFAULT                                    */
    NODE_RETURNS,    /* expression: a function's annotation                                      */
    NODE_HANDLER,    /* [type] BLOCK; name: behind `as`, or none; NODE_HAS_TYPE                  */
    NODE_WITH_ITEM,  /* expression [target]                                                      */
    NODE_CASE,       /* pattern [GUARD] BLOCK                                                    */
    NODE_GUARD,      /* expression                                                               */
    NODE_ALIAS,   /* BINDING, of an import; name: what is imported, dotted, or "*". The BINDING has
                     the name it gets (of `import a.b` it is a), with NODE_AS where `as` says so; "*"
                     has none                                                                     */
    NODE_BINDING, /* name: no expression, only a name (of ALIAS, GLOBAL, NONLOCAL)              */

    /* Statements. */
    NODE_FUNCTION,  /* DECORATOR* PARAMETERS [RETURNS] BLOCK; name; NODE_ASYNC                   */
    NODE_CLASS,     /* DECORATOR* argument* BLOCK; name                                          */
    NODE_RETURN,    /* [expression]                                                              */
    NODE_DELETE,    /* target+                                                                   */
    NODE_ASSIGN,    /* target+ value: the value is the last child                                */
    NODE_AUGMENTED, /* target value; op: the operator's enum op                                 */
    NODE_ANNOTATED, /* target annotation [value]; NODE_PARENTHESIZED: the target is             */
    NODE_FOR,       /* target iterable BLOCK [ELSE]; NODE_ASYNC                                  */
    NODE_WHILE,     /* test BLOCK [ELSE]                                                         */
    NODE_IF,        /* test BLOCK ELIF* [ELSE]                                                   */
    NODE_WITH,      /* WITH_ITEM+ BLOCK; NODE_ASYNC                                              */
    NODE_MATCH,     /* subject CASE+                                                             */
    NODE_RAISE,     /* [exception [cause]]                                                       */
    NODE_TRY,       /* BLOCK HANDLER* [ELSE] [FINALLY]; NODE_STAR: except*                       */
    NODE_ASSERT,    /* test [message]                                                            */
    NODE_IMPORT,    /* ALIAS+                                                                    */
    NODE_IMPORT_FROM, /* ALIAS+; name: the module, dotted, or none; op: dots before it, at most 255
                       */
    NODE_GLOBAL,     /* BINDING+                                                                  */
    NODE_NONLOCAL,   /* BINDING+                                                                  */
    NODE_EXPRESSION, /* expression, as a statement                                              */
    NODE_PASS,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_BROKEN, /* nothing: a statement that is no Python; reported                            */

    /* Expressions. */
    NODE_BOOLEAN,     /* operand+; op: KEYWORD_AND or KEYWORD_OR                                */
    NODE_WALRUS,      /* NAME value                                                             */
    NODE_BINARY,      /* left right; op                                                         */
    NODE_UNARY,       /* operand; op: '+' '-' '~' or KEYWORD_NOT                                */
    NODE_LAMBDA,      /* PARAMETERS expression                                                  */
    NODE_CONDITIONAL, /* value test else: the order of the source                               */
    NODE_DICT,        /* (key value | DOUBLE_STARRED)*                                          */
    NODE_SET,         /* element+                                                               */
    NODE_LIST_COMPREHENSION, /* element COMPREHENSION+                                          */
    NODE_SET_COMPREHENSION,  /* element COMPREHENSION+                                          */
    NODE_DICT_COMPREHENSION, /* key value COMPREHENSION+                                        */
    NODE_GENERATOR,          /* element COMPREHENSION+                                          */
    NODE_COMPREHENSION,      /* target iterable condition*; NODE_ASYNC                          */
    NODE_AWAIT,      /* expression                                                              */
    NODE_YIELD,      /* [expression]                                                            */
    NODE_YIELD_FROM, /* expression                                                              */
    NODE_COMPARE,    /* operand operand+; op: the first operator's enum op, or a keyword with
                        NODE_WORD: in, not (for `not in`), is; name: all operators, "< is not"  */
    NODE_CALL,       /* function argument*: expression, STARRED, KEYWORD, DOUBLE_STARRED        */
    NODE_KEYWORD,    /* value; name                                                             */
    NODE_DOUBLE_STARRED, /* expression                                                          */
    NODE_NUMBER,
    NODE_STRING,   /* name: number of its text in ast.texts; NODE_BYTES, NODE_SURROGATE           */
    NODE_JOINED,   /* (STRING | FIELD)*: an f-string, or a field's format                         */
    NODE_FIELD,    /* expression [JOINED]; op: 's' 'r' 'a' or 0                                   */
    NODE_CONSTANT, /* op: KEYWORD_NONE_VALUE, KEYWORD_TRUE, KEYWORD_FALSE, OP_ELLIPSIS         */
    NODE_ATTRIBUTE, /* expression; name; op: enum context; at: of the name                      */
    NODE_SUBSCRIPT, /* expression index; op: enum context                                       */
    NODE_STARRED,   /* expression; op: enum context                                             */
    NODE_NAME,      /* name; op: enum context                                                   */
    NODE_LIST,      /* element*; op: enum context                                               */
    NODE_TUPLE,     /* element*; op: enum context                                               */
    NODE_SLICE,     /* [lower] [upper] [step]; NODE_HAS_LOWER, NODE_HAS_UPPER, NODE_HAS_STEP    */

    /* Patterns. */
    NODE_MATCH_VALUE,    /* expression                                                          */
    NODE_MATCH_SEQUENCE, /* pattern*                                                            */
    NODE_MATCH_MAPPING,  /* (key pattern)* [MATCH_STAR: behind **]                              */
    NODE_MATCH_CLASS,    /* expression (pattern | MATCH_KEYWORD)*                               */
    NODE_MATCH_KEYWORD,  /* pattern; name                                                       */
    NODE_MATCH_STAR,     /* name, or none for _                                                 */
    NODE_MATCH_AS,       /* [pattern]; name, or none for _                                      */
    NODE_MATCH_OR,       /* pattern+                                                            */
    NODE_KIND_COUNT
};

enum node_flags {
    NODE_ASYNC = 1 << 0,
    NODE_STAR = 1 << 1,
    NODE_AS = 1 << 2,
    NODE_PARENTHESIZED = 1 << 3, /* any expression: it was in parentheses */
    NODE_HAS_ANNOTATION = 1 << 4,
    NODE_HAS_DEFAULT = 1 << 5,
    NODE_HAS_TYPE = 1 << 6,
    NODE_HAS_LOWER = 1 << 7,
    NODE_HAS_UPPER = 1 << 8,
    NODE_HAS_STEP = 1 << 9,
    NODE_BYTES = 1 << 10,
    NODE_SURROGATE = 1 << 11, /* the text contains a lone surrogate, as three bytes */
    NODE_WORD = 1 << 12,
    NODE_FORMATTED = 1 << 13, /* a STRING that is part of an f-string */
};

enum context { CONTEXT_LOAD, CONTEXT_STORE, CONTEXT_DELETE };

enum parameter_kind {
    PARAMETER_POSITIONAL, /* before '/' */
    PARAMETER_PLAIN,
    PARAMETER_STAR, /* *args */
    PARAMETER_KEYWORD,
    PARAMETER_DOUBLE_STAR, /* **kwargs */
};

struct node {
    uint8_t kind, op;
    uint16_t flags;
    uint32_t at;   /* byte offset of its start; for nodes with a name, that of the name */
    uint32_t name; /* symbol, or as the table says */
    uint32_t child, next;
    uint16_t height; /* levels below it, at most VALIDATOR_TREE_CAP */
};

/* The value of a string literal. */
struct ast_text {
    uint32_t at;  /* byte of the source, or of ast.values when owned */
    uint32_t len; /* bytes; the top bit: owned */
};

struct ast {
    const char *source; /* borrowed */
    size_t len;
    struct node *nodes; /* owned */
    uint32_t count, size;
    struct ast_text *texts; /* owned */
    uint32_t text_count, text_size;
    struct buf values; /* texts that differ from the source */
    struct symbols symbols;
    uint32_t unreported_at; /* the position of a syntax error that is to be reported elsewhere */
    bool broken; /* it has syntax errors, which are reported; the tree contains the other statements
                  */
    bool failed; /* out of memory */
};

/* source is borrowed and must outlive the tree. */
void ast_init(struct ast *ast, const char *source, size_t len);
void ast_finish(struct ast *ast);

/* Parses the source into the tree, after ast_init. It accepts and refuses the same programs as
 * CPython 3.11's ast.parse, except for the byte rules of validator.c. A syntax error is reported
 * with the code "syntax", at most one for each statement; parsing continues with the next
 * statement, and ast->broken is set. */
void parser_parse(struct ast *ast, struct report *report);

/* The value of a NODE_STRING: UTF-8, with lone surrogates as three bytes each; for bytes literals
 * one character for each byte. Borrowed. */
const char *ast_text(const struct ast *ast, uint32_t node, size_t *len);

/* A node's name; len is 0 if it has none. Borrowed, not NUL-terminated. */
const char *ast_name(const struct ast *ast, uint32_t node, size_t *len);

static inline const struct node *ast_node(const struct ast *ast, uint32_t node)
{
    return &ast->nodes[node];
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the Python module `doors` share: the rules, who is calling, and how a refusal
 * is said. One interpreter, one thread: the state is static.
 */
#ifndef IMAGE_PYTHON_DOORS_H
#define IMAGE_PYTHON_DOORS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Owned references, set by install(). A function is named as door_key() names it. */
struct door_rules {
    int armed;
    PyObject *filename;   /* of the analysis code: str */
    PyObject *own;        /* frozenset of the files whose functions may do everything */
    PyObject *folders;    /* tuple of str, with a slash at the end: where libraries are */
    PyObject *readable;   /* likewise: what may be opened for reading */
    PyObject *names;      /* frozenset: dangerous where they are computed, besides __names__ */
    PyObject *attributes; /* function: frozenset of the names that it may compute */
    PyObject *public;     /* frozenset of the functions that take names from analysis code */
    PyObject *members;    /* frozenset of the __names__ that classes of analysis code may have */
    PyObject *memory;   /* frozenset of those that no class may have: numpy takes addresses there */
    PyObject *frames;   /* frozenset of the functions that may look at frames */
    PyObject *texts;    /* function: pattern of the texts that it may run, or True */
    PyObject *modules;  /* function: frozenset of the names that it may import, or True */
    PyObject *events;   /* frozenset of audit events that are refused, by name ... */
    PyObject *families; /* ... and by the word before the first dot */
    PyObject *harmless; /* frozenset of events of these families that are allowed */
    PyObject *listing;  /* frozenset of events that list a folder */
    PyObject *looking;  /* frozenset of events that are refused to analysis code alone */
};
extern struct door_rules door_rules;

/* Takes each rule from the keyword arguments of install(); borrowed, or NULL. -1 with an exception.
 */
int door_take_rules(PyObject *keywords);

/* The code of the Python function that runs now. A new reference, or NULL where none runs. */
PyCodeObject *door_caller(void);

/* Whether it is analysis code; whether it is the sandbox's own. */
int door_is_analysis(const PyCodeObject *code);
int door_is_own(const PyCodeObject *code);

/* Whether a library is being imported now, seen from the code's own frames inwards. Not while the
 * garbage collector runs: what it ends in the middle of an import may be the code's own. */
int door_is_importing(void);

/* Lets the collector say when it runs. -1 with an exception. */
int door_watch_collector(void);

/* "pandas/core/apply.py:Apply.agg": the file below the folder of libraries, and the function. A new
 * reference, or NULL with an exception. */
PyObject *door_key(const PyCodeObject *code);

/* What a dictionary of rules has for a function. Borrowed, or NULL. */
PyObject *door_rule(PyObject *table, const PyCodeObject *code);

/* Whether a set of rules has a function. */
int door_has(PyObject *set, const PyCodeObject *code);

int door_begins_with(PyObject *text, PyObject *prefix);

/* Raises PermissionError with the rule's name, unless an error is set already. format: with one
 * conversion for text, or none. -1. */
int door_refuse(const char *rule, const char *format, PyObject *text);

/* The audit hook, for PySys_AddAuditHook. */
int door_audit(const char *event, PyObject *args, void *unused);

#endif

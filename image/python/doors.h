/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the Python module `doors` share: the rules, the caller's identity, and
 * refusals. There is one interpreter with one thread, so the state is static.
 */
#ifndef IMAGE_PYTHON_DOORS_H
#define IMAGE_PYTHON_DOORS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Owned references, set by install(). Functions are named as in door_key(). */
struct door_rules {
    int armed;
    int running;          /* a text that was checked is about to run */
    PyObject *namespace;  /* dict: the globals of the analysis code; NULL before run() */
    PyObject *filename;   /* str: the file name of the analysis code */
    PyObject *own;        /* frozenset: files whose functions are not restricted */
    PyObject *folders;    /* tuple of str ending with a slash: where libraries are */
    PyObject *readable;   /* likewise: what may be opened for reading */
    PyObject *names;      /* frozenset: names that are dangerous if computed, besides __names__ */
    PyObject *private;    /* frozenset: names that begin with "_" and belong to an interface */
    PyObject *changing;   /* frozenset: classes of libraries that stay changeable; NULL at first */
    PyObject *attributes; /* dict: function -> frozenset of dangerous names that it may compute */
    PyObject *public;     /* frozenset: functions that get names of attributes from analysis code */
    PyObject *members;    /* frozenset: the __names__ that classes of analysis code may define */
    PyObject *memory; /* frozenset: those that no class may define: numpy reads addresses there */
    PyObject *frames; /* frozenset: functions that may read frames */
    PyObject *functions; /* frozenset: functions that may change functions that others made */
    PyObject *texts;     /* dict: function -> pattern of the texts that it may run, or True */
    PyObject *modules;   /* dict: function -> frozenset of the names that it may import, or True */
    PyObject *events;    /* frozenset: names of audit events that are refused, ... */
    PyObject *families;  /* ... and families, the word before the first dot */
    PyObject *harmless;  /* frozenset: allowed events of these families */
    PyObject *listing;   /* frozenset: events that list a folder */
    PyObject *looking;   /* frozenset: events that are refused only to analysis code */
};
extern struct door_rules door_rules;

/* Takes the rules from the keyword arguments of install(); keywords is borrowed, or NULL. Returns
 * -1 with an exception. */
int door_take_rules(PyObject *keywords);

/* The code of the running Python function, as a new reference; NULL if none is running. */
PyCodeObject *door_caller(void);

/* Whether the code is analysis code, or the sandbox's own. */
int door_is_analysis(const PyCodeObject *code);
int door_is_own(const PyCodeObject *code);

/* Whether a name is among the constants of a function, or in a tuple or set of them. */
int door_is_constant(PyObject *constants, PyObject *name);

/* Whether an import is in progress, looking outwards from the current frame to the first frame of
 * analysis code. Never while the garbage collector runs, because it can call finalizers of analysis
 * code in the middle of an import. */
int door_is_importing(void);

/* A function's name in the rules: "pandas/core/apply.py:Apply.agg", the file below the folder of
 * libraries, and the qualified name. A new reference, or NULL with an exception. */
PyObject *door_key(const PyCodeObject *code);

/* A function's entry in a dictionary of rules; borrowed, or NULL. */
PyObject *door_rule(PyObject *table, const PyCodeObject *code);

/* Whether a function is in a set of rules. */
int door_has(PyObject *set, const PyCodeObject *code);

int door_begins_with(PyObject *text, PyObject *prefix);

/* Raises PermissionError with the name of the rule, unless an exception is already set. format has
 * at most one conversion, for text. Returns -1. */
int door_refuse(const char *rule, const char *format, PyObject *text);

/* Whether a function was not made by analysis code, nor for it by a library's template. */
int door_is_librarys(PyObject *object);

/* Refuses analysis code a private attribute of an object, unless the object is its own and no
 * library knows the name, or it reads what a class of its own has. object is NULL if it is not
 * known. Returns 0, or -1 with an exception. */
int door_check_private(PyObject *object, PyObject *name, int reads);

/* Whether a class of a library, among this one and those that it is derived from, uses the name.
 * -1 with an exception. */
int door_library_uses(PyTypeObject *type, PyObject *name);

/* own(object, name, whether it is read): the object, if door_check_private() allows the name. */
PyObject *door_own(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* Names that are refused if they are computed, and those that begin with "_". */
int door_is_dangerous(PyObject *name);
int door_is_private(PyObject *name);

/* A class pattern reads attributes by these names in C, without getattr. object: the class, or the
 * tuple of those that it will be derived from. names: any object, or NULL. Returns 0, or -1 with an
 * exception. */
int door_check_match_names(PyObject *object, PyObject *names);

/* Checks each class that is made from now on. */
void door_guard_classes(void);

/* freeze_classes(changing), written in door_classes.c. */
PyObject *door_freeze_classes(PyObject *module, PyObject *changing);

/* Functions of the module, written in door_memory.c. */
PyObject *door_guard_arrays(PyObject *module, PyObject *args);
PyObject *door_hand_copies(PyObject *module, PyObject *function);
PyObject *door_seal(PyObject *module, PyObject *type);

/* The audit hook, for PySys_AddAuditHook. */
int door_audit(const char *event, PyObject *args, void *unused);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private attributes: names that begin with "_". A program has its own, and libraries have theirs,
 * with the same names. Whose one is shows only when the code runs: an object's attribute is the
 * program's own if the program made its class, and no class of a library that it is derived from
 * has or mentions the name; or if it is read, and a class of the program has it. private_names.py
 * lets the program's accesses ask here.
 */
#include "image/python/doors.h"

/* dict: (class of a library, name) -> whether it uses the name. Classes of libraries are few. */
static PyObject *known;

static int is_own_class(PyTypeObject *type)
{
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !(type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) &&
           !(door_rules.changing && PySet_Contains(door_rules.changing, (PyObject *)type) == 1);
}

/* A type that was made in C, and is no module's: what its objects have beside its own attributes,
 * such as a text for an exception, the program has put there. */
static int is_made_in_c(const PyTypeObject *type)
{
    return type != &PyModule_Type && (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) ||
                                      ((const PyHeapTypeObject *)type)->_ht_tpname != NULL);
}

/* Whether the code, or that of a function in it, mentions the name. */
static int code_mentions(const PyCodeObject *code, PyObject *name)
{
    if (door_is_constant(code->co_names, name) || door_is_constant(code->co_consts, name))
        return 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
        PyObject *inner = PyTuple_GET_ITEM(code->co_consts, i);

        if (PyCode_Check(inner) && code_mentions((PyCodeObject *)inner, name))
            return 1;
    }
    return 0;
}

/* The function behind a member of a class, in the attribute of that name; NULL if there is none. */
static PyObject *function_of(PyObject *member, const char *attribute)
{
    PyObject *inner = PyObject_GetAttrString(member, attribute);

    if (inner == NULL)
        PyErr_Clear(); /* it is another kind of member */
    return inner;
}

static int member_mentions(PyObject *member, PyObject *name)
{
    static const char *const behind[] = {"__func__", "fget", "fset", "fdel", "func"};
    int found = 0;

    if (PyFunction_Check(member))
        return code_mentions((PyCodeObject *)PyFunction_GET_CODE(member), name);
    for (size_t i = 0; !found && i < sizeof behind / sizeof *behind; i++) {
        PyObject *inner = function_of(member, behind[i]);

        found = inner && PyFunction_Check(inner) &&
                code_mentions((PyCodeObject *)PyFunction_GET_CODE(inner), name);
        Py_XDECREF(inner);
    }
    return found;
}

static int class_mentions(PyTypeObject *type, PyObject *name)
{
    PyObject *key, *member;
    Py_ssize_t position = 0;

    if (PyDict_Contains(type->tp_dict, name) == 1)
        return 1;
    while ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
           PyDict_Next(type->tp_dict, &position, &key, &member)) {
        if (member_mentions(member, name))
            return 1;
    }
    return 0;
}

/* Whether a class of a library uses the name. -1 with an exception. */
static int class_uses(PyTypeObject *type, PyObject *name)
{
    PyObject *key = PyTuple_Pack(2, type, name), *answer;
    int found = -1;

    if (known == NULL)
        known = PyDict_New();
    answer = key && known ? PyDict_GetItemWithError(known, key) : NULL;
    if (answer) {
        found = answer == Py_True;
    } else if (key && known && !PyErr_Occurred()) {
        found = class_mentions(type, name);
        if (PyDict_SetItem(known, key, found ? Py_True : Py_False) < 0)
            found = -1;
    }
    Py_XDECREF(key);
    return found;
}

int door_library_uses(PyTypeObject *type, PyObject *name)
{
    PyObject *order = type->tp_mro;
    int found = 0;

    for (Py_ssize_t i = 0; order && found == 0 && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(order, i);

        if (base != &PyBaseObject_Type && base != &PyType_Type && !is_own_class(base))
            found = class_uses(base, name);
    }
    return found;
}

/* The class that decides about an object: of super(), that of the object behind it. A new
 * reference, or NULL with an exception. */
static PyTypeObject *deciding_class(PyObject *object)
{
    if (PyType_Check(object))
        return (PyTypeObject *)Py_NewRef(object);
    if (Py_IS_TYPE(object, &PySuper_Type))
        return (PyTypeObject *)PyObject_GetAttrString(object, "__self_class__");
    return (PyTypeObject *)Py_NewRef(Py_TYPE(object));
}

/* Whether reading the attribute gives what a class of the program has, although a library uses the
 * name: the first class that has it is the program's, and the object itself has none. */
static int is_read_from_own(PyObject *object, const PyTypeObject *type, PyObject *name)
{
    PyObject *order = type->tp_mro, *dict;
    PyTypeObject *owner = NULL;
    int found;

    for (Py_ssize_t i = 0; order && !owner && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(order, i);

        if (PyDict_Contains(base->tp_dict, name) == 1)
            owner = base;
    }
    if (owner == NULL || !is_own_class(owner) || Py_IS_TYPE(object, &PySuper_Type))
        return 0;
    if (PyType_Check(object))
        return 1;
    dict = PyObject_GenericGetDict(object, NULL);
    if (dict == NULL)
        PyErr_Clear(); /* it has slots */
    found = dict == NULL || PyDict_Contains(dict, name) == 0;
    Py_XDECREF(dict);
    return found;
}

static int is_allowed(PyObject *object, PyObject *name, int reads)
{
    PyTypeObject *type;
    int found;

    if (PySet_Contains(door_rules.private, name) == 1)
        return 1;
    if (object == NULL)
        return 0;
    if (PyMethod_Check(object))
        object = PyMethod_GET_FUNCTION(object);
    if (PyFunction_Check(object))
        return !door_is_librarys(object);
    type = deciding_class(object);
    if (type == NULL)
        return -1;
    found = PyType_Check((PyObject *)type) && (is_own_class(type) || is_made_in_c(type))
                ? door_library_uses(type, name)
                : 1;
    if (found == 0 && PyType_Check(object)) /* its metaclass has attributes too */
        found = door_library_uses(Py_TYPE(object), name);
    if (found > 0 && reads && PyType_Check((PyObject *)type))
        found = !is_read_from_own(object, type, name);
    Py_DECREF(type);
    return found < 0 ? -1 : !found;
}

int door_check_private(PyObject *object, PyObject *name, int reads)
{
    int allowed = is_allowed(object, name, reads);

    if (allowed > 0)
        return 0;
    return door_refuse("private-attribute", "attribute '%U' is a library's own", name);
}

PyObject *door_own(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyUnicode_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "own() takes an object, a name and a bool");
        return NULL;
    }
    if (door_rules.armed && door_rules.private &&
        door_check_private(args[0], args[1], args[2] == Py_True) < 0)
        return NULL;
    return Py_NewRef(args[0]);
}

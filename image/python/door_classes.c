/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes: what the program may make of them, what a class pattern reads, and that those of
 * libraries are immutable.
 */
#include "image/python/doors.h"

static newfunc real_type_new;

static int check_private_match(PyObject *object, PyObject *name)
{
    int used = 0;

    if (!PyTuple_Check(object))
        return door_check_private(object, name, 0);
    for (Py_ssize_t i = 0; used == 0 && i < PyTuple_GET_SIZE(object); i++) {
        PyObject *base = PyTuple_GET_ITEM(object, i);

        used = PyType_Check(base) ? door_library_uses((PyTypeObject *)base, name) : 0;
    }
    return used ? door_refuse("private-attribute", "attribute '%U' is a library's own", name) : 0;
}

int door_check_match_names(PyObject *object, PyObject *names)
{
    Py_ssize_t count = names && PyTuple_Check(names) ? PyTuple_GET_SIZE(names) : 0;

    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);

        if (PyUnicode_Check(name) && PyUnicode_READY(name) == 0 && door_is_dangerous(name))
            return door_refuse("attribute-by-name", "attribute '%U' is out of reach by a pattern",
                               name);
        if (PyUnicode_Check(name) && door_is_private(name) && check_private_match(object, name) < 0)
            return -1;
    }
    return 0;
}

static int is_special(PyObject *name)
{
    return PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) > 4 &&
           PyUnicode_READ_CHAR(name, 0) == '_' && PyUnicode_READ_CHAR(name, 1) == '_';
}

static int is_metaclass(PyObject *bases)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++) {
        PyObject *base = PyTuple_GET_ITEM(bases, i);

        if (PyType_Check(base) && PyType_IsSubtype((PyTypeObject *)base, &PyType_Type))
            return 1;
    }
    return 0;
}

/* dataclasses puts the names of annotations into texts that it runs. */
static int check_annotations(PyObject *annotations)
{
    PyObject *name, *value;
    Py_ssize_t position = 0;

    while (annotations && PyDict_Check(annotations) &&
           PyDict_Next(annotations, &position, &name, &value)) {
        if (!PyUnicode_CheckExact(name) || !PyUnicode_IsIdentifier(name) || is_special(name))
            return door_refuse("class-member", "annotation %R is not a name", name);
    }
    return 0;
}

/* The names of a class that another one inherits, beside classes of a library. */
static int check_inherited_match(PyObject *bases, PyTypeObject *base)
{
    PyObject *order = base->tp_mro;
    int done = 0;

    for (Py_ssize_t i = 0; order && done == 0 && i < PyTuple_GET_SIZE(order); i++)
        done = door_check_match_names(
            bases, PyDict_GetItemString(((PyTypeObject *)PyTuple_GET_ITEM(order, i))->tp_dict,
                                        "__match_args__"));
    return done;
}

static int check_class(const PyCodeObject *code, PyObject *bases, PyObject *members)
{
    int own = door_is_analysis(code);
    PyObject *name, *value;
    Py_ssize_t position = 0;

    if (own && is_metaclass(bases))
        return door_refuse("metaclass", "a class of %R would make classes", bases);
    while (PyDict_Next(members, &position, &name, &value)) {
        if (!PyUnicode_CheckExact(name)) /* its methods could tell a dictionary another text */
            return door_refuse("class-member", "the name %R of a class's member is not plain",
                               name);
        if (is_special(name) && (PySet_Contains(door_rules.memory, name) == 1 ||
                                 (own && PySet_Contains(door_rules.members, name) != 1)))
            return door_refuse("class-member", "a class with '%U' is not made here", name);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++) {
        PyObject *base = PyTuple_GET_ITEM(bases, i);

        if (PyType_Check(base) && check_inherited_match(bases, (PyTypeObject *)base) < 0)
            return -1;
    }
    return door_check_match_names(bases, PyDict_GetItemString(members, "__match_args__")) < 0
               ? -1
               : check_annotations(PyDict_GetItemString(members, "__annotations__"));
}

static PyObject *guarded_type_new(PyTypeObject *metatype, PyObject *args, PyObject *keywords)
{
    PyCodeObject *code = door_rules.armed ? door_caller() : NULL;
    PyObject *bases, *members;
    int done = 0;

    if (code && PyTuple_GET_SIZE(args) == 3) {
        bases = PyTuple_GET_ITEM(args, 1);
        members = PyTuple_GET_ITEM(args, 2);
        if (PyTuple_Check(bases) && PyDict_Check(members) && !door_is_importing())
            done = check_class(code, bases, members);
    }
    Py_XDECREF(code);
    return done < 0 ? NULL : real_type_new(metatype, args, keywords);
}

/* A module that is imported while the program runs must not freeze its classes. */
static int is_programs(const PyTypeObject *type)
{
    PyObject *name = PyDict_GetItemString(type->tp_dict, "__module__");

    return name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__main__") == 0;
}

static void freeze(PyTypeObject *type, PyObject *changing, Py_ssize_t *count)
{
    PyObject *key, *reference;
    Py_ssize_t position = 0;

    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !(type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) &&
        PySet_Contains(changing, (PyObject *)type) != 1 && !is_programs(type)) {
        type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
        *count += 1;
    }
    while (type->tp_subclasses && PyDict_Next(type->tp_subclasses, &position, &key, &reference)) {
        PyObject *subclass = PyWeakref_GET_OBJECT(reference);

        if (subclass != Py_None)
            freeze((PyTypeObject *)subclass, changing, count);
    }
}

/* freeze_classes(changing): makes every class of a library immutable and returns their number. */
PyObject *door_freeze_classes(PyObject *module, PyObject *changing)
{
    Py_ssize_t count = 0;

    (void)module;
    if (!PyFrozenSet_Check(changing)) {
        PyErr_SetString(PyExc_TypeError, "freeze_classes() takes a frozenset");
        return NULL;
    }
    freeze(&PyBaseObject_Type, changing, &count);
    Py_XSETREF(door_rules.changing, Py_NewRef(changing));
    return PyLong_FromSsize_t(count);
}

void door_guard_classes(void)
{
    real_type_new = PyType_Type.tp_new;
    PyType_Type.tp_new = guarded_type_new;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules and the caller's identity, for the other files of the module `doors`. See doors.h.
 */
/* Only the interpreter's own state tells whether the garbage collector runs. An item of
 * gc.callbacks is not called when memory is full, because the collector allocates its argument. */
#define Py_BUILD_CORE_MODULE 1
#include "image/python/doors.h"

#include <frameobject.h>
#include <internal/pycore_interp.h>

struct door_rules door_rules;

static const struct {
    const char *name;
    PyTypeObject *type;
    PyObject **member;
} rows[] = {
    {"filename", &PyUnicode_Type, &door_rules.filename},
    {"own", &PyFrozenSet_Type, &door_rules.own},
    {"folders", &PyTuple_Type, &door_rules.folders},
    {"readable", &PyTuple_Type, &door_rules.readable},
    {"names", &PyFrozenSet_Type, &door_rules.names},
    {"private", &PyFrozenSet_Type, &door_rules.private},
    {"attributes", &PyDict_Type, &door_rules.attributes},
    {"public", &PyFrozenSet_Type, &door_rules.public},
    {"members", &PyFrozenSet_Type, &door_rules.members},
    {"memory", &PyFrozenSet_Type, &door_rules.memory},
    {"functions", &PyFrozenSet_Type, &door_rules.functions},
    {"frames", &PyFrozenSet_Type, &door_rules.frames},
    {"texts", &PyDict_Type, &door_rules.texts},
    {"modules", &PyDict_Type, &door_rules.modules},
    {"events", &PyFrozenSet_Type, &door_rules.events},
    {"families", &PyFrozenSet_Type, &door_rules.families},
    {"harmless", &PyFrozenSet_Type, &door_rules.harmless},
    {"listing", &PyFrozenSet_Type, &door_rules.listing},
    {"looking", &PyFrozenSet_Type, &door_rules.looking},
};

int door_take_rules(PyObject *keywords)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PyObject *value = keywords ? PyDict_GetItemString(keywords, rows[i].name) : NULL;

        if (value == NULL || !Py_IS_TYPE(value, rows[i].type)) {
            PyErr_Format(PyExc_TypeError, "rule %s must be a %s", rows[i].name,
                         rows[i].type->tp_name);
            return -1;
        }
        *rows[i].member = Py_NewRef(value);
    }
    return 0;
}

PyCodeObject *door_caller(void)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyCodeObject *code = frame ? PyFrame_GetCode(frame) : NULL;

    Py_XDECREF(frame);
    return code;
}

int door_is_analysis(const PyCodeObject *code)
{
    return code->co_filename == door_rules.filename ||
           PyUnicode_Compare(code->co_filename, door_rules.filename) == 0;
}

int door_is_own(const PyCodeObject *code)
{
    return PySet_Contains(door_rules.own, code->co_filename) == 1;
}

int door_is_librarys(PyObject *object)
{
    return PyFunction_Check(object) &&
           ((PyFunctionObject *)object)->func_globals != door_rules.namespace;
}

int door_is_dangerous(PyObject *name)
{
    return (PyUnicode_GET_LENGTH(name) > 4 && PyUnicode_READ_CHAR(name, 0) == '_' &&
            PyUnicode_READ_CHAR(name, 1) == '_') ||
           PySet_Contains(door_rules.names, name) == 1;
}

int door_is_private(PyObject *name)
{
    return PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) == '_';
}

int door_begins_with(PyObject *text, PyObject *prefix)
{
    return PyUnicode_Tailmatch(text, prefix, 0, PyUnicode_GET_LENGTH(prefix), -1) == 1;
}

PyObject *door_key(const PyCodeObject *code)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(door_rules.folders); i++) {
        PyObject *folder = PyTuple_GET_ITEM(door_rules.folders, i), *file, *key;

        if (!door_begins_with(code->co_filename, folder))
            continue;
        file = PyUnicode_Substring(code->co_filename, PyUnicode_GET_LENGTH(folder), PY_SSIZE_T_MAX);
        key = file ? PyUnicode_FromFormat("%U:%U", file, code->co_qualname) : NULL;
        Py_XDECREF(file);
        return key;
    }
    return PyUnicode_FromFormat("%U:%U", code->co_filename, code->co_qualname);
}

PyObject *door_rule(PyObject *table, const PyCodeObject *code)
{
    PyObject *key = door_key(code), *found = key ? PyDict_GetItemWithError(table, key) : NULL;

    Py_XDECREF(key);
    return found;
}

int door_has(PyObject *set, const PyCodeObject *code)
{
    PyObject *key = door_key(code);
    int found = key ? PySet_Contains(set, key) : -1;

    Py_XDECREF(key);
    return found == 1;
}

int door_is_constant(PyObject *constants, PyObject *name)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); i++) {
        PyObject *item = PyTuple_GET_ITEM(constants, i);

        if (item == name || (PyUnicode_CheckExact(item) && PyUnicode_Compare(item, name) == 0) ||
            (PyTuple_CheckExact(item) && door_is_constant(item, name)) ||
            (PyFrozenSet_CheckExact(item) && PySet_Contains(item, name) == 1))
            return 1;
    }
    return 0;
}

int door_is_importing(void)
{
    PyFrameObject *frame;
    int found = 0, ended = 0;

    if (PyInterpreterState_Get()->gc.collecting)
        return 0;
    frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame && !found && !ended) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyFrameObject *back = PyFrame_GetBack(frame);

        ended = door_is_analysis(code);
        found = PyUnicode_CompareWithASCIIString(code->co_filename,
                                                 "<frozen importlib._bootstrap>") == 0;
        Py_DECREF(code);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    return found;
}

int door_refuse(const char *rule, const char *format, PyObject *text)
{
    PyObject *what = PyErr_Occurred() ? NULL : PyUnicode_FromFormat(format, text);

    if (what)
        PyErr_Format(PyExc_PermissionError, "%U (rule: %s)", what, rule);
    Py_XDECREF(what);
    return -1;
}

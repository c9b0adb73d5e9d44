/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doors to memory that is freed, or that nobody checks the bounds of: functions of numpy and scipy
 * that hand out arrays over memory which they free themselves. Each is changed so that the memory
 * lives as long as the array, or the array is a copy; what cannot be changed is refused.
 */
#include "image/python/doors.h"

static PyTypeObject *array_type; /* numpy.ndarray; NULL before guard_arrays() */
static PyCFunction real_resize, real_setflags, real_close, real_exit, real_nested;
static PyGetSetDef base_made, base_real, data_made, data_real;
static initproc real_init;
static destructor real_dealloc;
static PyObject *kept; /* dict: address of a closed iterator -> its operands */

/* ---- numpy.ndarray.resize ---- */

/* With refcheck=False it could free memory that other arrays still use, so the check is always
 * made. It succeeds if the array has no other references. */
static PyObject *guarded_resize(PyObject *array, PyObject *args, PyObject *keywords)
{
    PyObject *check = keywords ? PyDict_GetItemString(keywords, "refcheck") : NULL;
    PyObject *checked = NULL, *done = NULL;
    int is_true = check ? PyObject_IsTrue(check) : 1;

    if (is_true < 0)
        return NULL;
    if (door_rules.armed && !is_true) {
        checked = PyDict_Copy(keywords);
        if (checked == NULL || PyDict_SetItemString(checked, "refcheck", Py_True) < 0)
            goto out;
    }
    done = ((PyCFunctionWithKeywords)(void (*)(void))real_resize)(array, args,
                                                                  checked ? checked : keywords);
out:
    Py_XDECREF(checked);
    return done;
}

/* ---- read-only arrays ---- */

/* Whether a function of a library does it by itself, and does not pass it on for the program. */
static int is_by_library(const char *name, const char *other)
{
    PyCodeObject *code = door_caller();
    int found = code == NULL || door_is_own(code);

    for (Py_ssize_t i = 0;
         code && !found && !door_is_analysis(code) && i < PyTuple_GET_SIZE(code->co_names); i++) {
        PyObject *item = PyTuple_GET_ITEM(code->co_names, i);

        found = PyUnicode_CompareWithASCIIString(item, name) == 0 ||
                PyUnicode_CompareWithASCIIString(item, other) == 0;
    }
    Py_XDECREF(code);
    return found;
}

/* Whether an array can be written to. -1 with an exception. */
static int is_writeable(PyObject *array)
{
    PyObject *flags = PyObject_GetAttrString(array, "flags");
    PyObject *value = flags ? PyObject_GetAttrString(flags, "writeable") : NULL;
    int found = value ? PyObject_IsTrue(value) : -1;

    Py_XDECREF(flags);
    Py_XDECREF(value);
    return found;
}

/* ndarray.setflags(write=None, ...), also behind flags.writeable: what a library hands out to be
 * read stays so. */
static PyObject *guarded_setflags(PyObject *array, PyObject *args, PyObject *keywords)
{
    PyObject *write = keywords ? PyDict_GetItemString(keywords, "write") : NULL;
    int wants, has;

    if (!write && PyTuple_GET_SIZE(args) > 0)
        write = PyTuple_GET_ITEM(args, 0);
    wants = door_rules.armed && write ? PyObject_IsTrue(write) : 0;
    has = wants > 0 ? is_writeable(array) : 0;
    if (wants < 0 || has < 0)
        return NULL;
    if (wants && !has && !is_by_library("setflags", "writeable")) {
        door_refuse("read-only", "an array that can only be read is not made writeable", NULL);
        return NULL;
    }
    return ((PyCFunctionWithKeywords)(void (*)(void))real_setflags)(array, args, keywords);
}

/* ndarray.base: what a read-only array is a view of, if it can be written to, stays out of reach.
 */
static PyObject *guarded_base(PyObject *array, void *closure)
{
    PyObject *base = base_real.get(array, closure);
    int open;

    if (base == NULL || !door_rules.armed || !PyObject_TypeCheck(base, array_type) ||
        is_by_library("base", "base"))
        return base;
    open = is_writeable(array);
    if (open == 0)
        open = is_writeable(base) == 0 ? 1 : 0;
    if (open == 0)
        door_refuse("read-only", "the array behind an array that can only be read is out of reach",
                    NULL);
    if (open <= 0 || PyErr_Occurred())
        Py_CLEAR(base);
    return base;
}

/* ndarray.data = ...: it would free memory that other arrays still use. */
static int guarded_data(PyObject *array, PyObject *value, void *closure)
{
    if (door_rules.armed)
        return door_refuse("freed-memory", "the memory of an array is not replaced", NULL);
    return data_real.set(array, value, closure);
}

/* Replaces the functions behind an attribute that is written in C; NULL keeps one. */
static int guard_getset(PyTypeObject *type, const char *name, getter get, setter set,
                        PyGetSetDef *made, PyGetSetDef *real)
{
    PyObject *entry = PyDict_GetItemString(type->tp_dict, name);

    if (entry == NULL || !Py_IS_TYPE(entry, &PyGetSetDescr_Type)) {
        PyErr_Format(PyExc_TypeError, "%s has no attribute %s to guard", type->tp_name, name);
        return -1;
    }
    *made = *real = *((PyGetSetDescrObject *)entry)->d_getset;
    made->get = get ? get : made->get;
    made->set = set ? set : made->set;
    ((PyGetSetDescrObject *)entry)->d_getset = made;
    return 0;
}

/* ---- numpy.nditer ---- */

/* The arrays of an iterator with buffers lie in the buffers, which close() frees. Returns the flags
 * as a plain tuple, so that what is checked is what is used, or NULL with an exception. */
static PyObject *checked_flags(PyObject *flags)
{
    PyObject *plain = PySequence_Tuple(flags);
    PyCodeObject *code = door_caller();
    int passes = code == NULL || door_is_own(code);

    for (Py_ssize_t i = 0; plain && !passes && i < PyTuple_GET_SIZE(plain); i++) {
        PyObject *flag = PyTuple_GET_ITEM(plain, i);

        if ((PyUnicode_CheckExact(flag) &&
             PyUnicode_CompareWithASCIIString(flag, "buffered") != 0) ||
            (!door_is_analysis(code) && door_is_constant(code->co_consts, flag)))
            continue;
        door_refuse("freed-memory", "an iterator with buffers is not made here (flag %R)", flag);
        Py_CLEAR(plain);
    }
    Py_XDECREF(code);
    return plain;
}

/* Replaces the flags of nditer() or nested_iters() by checked ones. place: among the positional
 * arguments. Returns 0 with new references, or -1 with an exception. */
static int check_iterator(PyObject **args, PyObject **keywords, Py_ssize_t place)
{
    PyObject *named = *keywords ? PyDict_GetItemString(*keywords, "flags") : NULL, *plain = NULL;
    PyObject *flags = named                             ? named
                      : PyTuple_GET_SIZE(*args) > place ? PyTuple_GET_ITEM(*args, place)
                                                        : Py_None;

    *args = PySequence_List(*args);
    *keywords = *keywords ? PyDict_Copy(*keywords) : PyDict_New();
    if (*args && *keywords && flags != Py_None && (plain = checked_flags(flags)) != NULL) {
        if (named ? PyDict_SetItemString(*keywords, "flags", plain) < 0
                  : PyList_SetItem(*args, place, Py_NewRef(plain)) < 0)
            Py_CLEAR(plain);
    }
    if (*args)
        Py_SETREF(*args, PyList_AsTuple(*args));
    if (*args && *keywords && (plain || flags == Py_None)) {
        Py_XDECREF(plain);
        return 0;
    }
    Py_XDECREF(plain);
    Py_CLEAR(*args);
    Py_CLEAR(*keywords);
    return -1;
}

static int guarded_init(PyObject *iterator, PyObject *args, PyObject *keywords)
{
    int done;

    if (!door_rules.armed)
        return real_init(iterator, args, keywords);
    if (check_iterator(&args, &keywords, 1) < 0)
        return -1;
    done = real_init(iterator, args, keywords);
    Py_DECREF(args);
    Py_DECREF(keywords);
    return done;
}

static PyObject *guarded_nested(PyObject *module, PyObject *args, PyObject *keywords)
{
    PyCFunctionWithKeywords real = (PyCFunctionWithKeywords)(void (*)(void))real_nested;
    PyObject *done;

    if (!door_rules.armed)
        return real(module, args, keywords);
    if (check_iterator(&args, &keywords, 2) < 0)
        return NULL;
    done = real(module, args, keywords);
    Py_DECREF(args);
    Py_DECREF(keywords);
    return done;
}

/* The arrays of an iterator refer to it, and it to its operands, until it is closed. So a closed
 * one keeps them too, until it is gone. */
static int keep_operands(PyObject *iterator)
{
    PyObject *operands, *address;
    int done;

    if (!door_rules.armed)
        return 0;
    operands = PyObject_GetAttrString(iterator, "operands");
    address = PyLong_FromVoidPtr(iterator);
    if (operands == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) { /* it is closed already */
        PyErr_Clear();
        Py_XDECREF(address);
        return 0;
    }
    done = operands && address ? PyDict_SetItem(kept, address, operands) : -1;
    Py_XDECREF(operands);
    Py_XDECREF(address);
    return done;
}

static PyObject *guarded_close(PyObject *iterator, PyObject *args)
{
    return keep_operands(iterator) < 0 ? NULL : real_close(iterator, args);
}

static PyObject *guarded_exit(PyObject *iterator, PyObject *args)
{
    return keep_operands(iterator) < 0 ? NULL : real_exit(iterator, args);
}

static void guarded_dealloc(PyObject *iterator)
{
    PyObject *type, *value, *trace, *address, *operands = NULL;

    PyErr_Fetch(&type, &value, &trace);
    address = PyLong_FromVoidPtr(iterator);
    if (address) {
        operands = Py_XNewRef(PyDict_GetItemWithError(kept, address));
        if (operands && PyDict_DelItem(kept, address) < 0)
            PyErr_WriteUnraisable(address);
    }
    Py_XDECREF(address);
    PyErr_Restore(type, value, trace);
    real_dealloc(iterator);
    Py_XDECREF(operands);
}

/* ---- callbacks ---- */

/* A function, or one that is passed to it. depth 1: a function of a library that calls back with
 * arrays over memory that it frees; its callable arguments are wrapped with depth 0, and those get
 * copies of such arrays. */
struct handed {
    PyObject_HEAD PyObject *real;
    int depth;
};
static PyTypeObject handed_type;

static PyObject *make_handed(PyObject *function, int depth)
{
    struct handed *made = PyObject_New(struct handed, &handed_type);

    if (made) {
        made->real = Py_NewRef(function);
        made->depth = depth;
    }
    return (PyObject *)made;
}

/* Whether nothing keeps the memory of an array: it has no base and is not the owner. -1: error. */
static int is_borrowed(PyObject *array)
{
    PyObject *base = PyObject_GetAttrString(array, "base");
    PyObject *flags = PyObject_GetAttrString(array, "flags");
    PyObject *owner = flags ? PyObject_GetAttrString(flags, "owndata") : NULL;
    int found = base && owner ? base == Py_None && owner == Py_False : -1;

    Py_XDECREF(base);
    Py_XDECREF(flags);
    Py_XDECREF(owner);
    return found;
}

static PyObject *pass_on(const struct handed *self, PyObject *argument)
{
    int borrowed;

    if (self->depth)
        return PyCallable_Check(argument) ? make_handed(argument, 0) : Py_NewRef(argument);
    if (!door_rules.armed || !PyObject_TypeCheck(argument, array_type))
        return Py_NewRef(argument);
    borrowed = is_borrowed(argument);
    if (borrowed < 0)
        return NULL;
    return borrowed ? PyObject_CallMethod(argument, "copy", NULL) : Py_NewRef(argument);
}

static PyObject *handed_call(PyObject *function, PyObject *args, PyObject *keywords)
{
    const struct handed *self = (const struct handed *)function;
    PyObject *passed = PyTuple_New(PyTuple_GET_SIZE(args)), *named = NULL, *key, *value;
    PyObject *done = NULL;
    Py_ssize_t position = 0;

    for (Py_ssize_t i = 0; passed && i < PyTuple_GET_SIZE(args); i++) {
        value = pass_on(self, PyTuple_GET_ITEM(args, i));
        if (value == NULL)
            goto out;
        PyTuple_SET_ITEM(passed, i, value);
    }
    named = keywords ? PyDict_New() : NULL;
    while (named && PyDict_Next(keywords, &position, &key, &value)) {
        int stored;

        value = pass_on(self, value);
        stored = value ? PyDict_SetItem(named, key, value) : -1;
        Py_XDECREF(value);
        if (stored < 0)
            goto out;
    }
    if (passed && (named || keywords == NULL))
        done = PyObject_Call(self->real, passed, named);
out:
    Py_XDECREF(passed);
    Py_XDECREF(named);
    return done;
}

/* f2py's functions have attributes that scipy reads. */
static PyObject *handed_getattr(PyObject *function, PyObject *name)
{
    return ((struct handed *)function)->depth
               ? PyObject_GetAttr(((struct handed *)function)->real, name)
               : PyObject_GenericGetAttr(function, name);
}

static void handed_dealloc(PyObject *function)
{
    Py_XDECREF(((struct handed *)function)->real);
    PyObject_Free(function);
}

static PyTypeObject handed_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "guarded_function",
    .tp_basicsize = sizeof(struct handed),
    .tp_dealloc = handed_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_call = handed_call,
    .tp_getattro = handed_getattr,
};

/* hand_copies(function): the function, made to call back with copies. */
PyObject *door_hand_copies(PyObject *module, PyObject *function)
{
    (void)module;
    if (array_type == NULL || PyType_Ready(&handed_type) < 0) {
        PyErr_SetString(PyExc_RuntimeError, "hand_copies() comes after guard_arrays()");
        return NULL;
    }
    return Py_IS_TYPE(function, &handed_type) ? Py_NewRef(function) : make_handed(function, 1);
}

/* ---- installing ---- */

/* seal(type): no class is derived from it any more. The library reads memory by what methods of a
 * subclass would answer, without a check. */
PyObject *door_seal(PyObject *module, PyObject *type)
{
    (void)module;
    if (!PyType_Check(type)) {
        PyErr_SetString(PyExc_TypeError, "seal() takes a type");
        return NULL;
    }
    ((PyTypeObject *)type)->tp_flags &= ~Py_TPFLAGS_BASETYPE;
    PyType_Modified((PyTypeObject *)type);
    Py_RETURN_NONE;
}

/* Replaces the function behind a method that is written in C. */
static int guard_method(PyTypeObject *type, const char *name, PyCFunction guarded,
                        PyCFunction *real)
{
    PyObject *method = PyDict_GetItemString(type->tp_dict, name);

    if (method == NULL || !Py_IS_TYPE(method, &PyMethodDescr_Type)) {
        PyErr_Format(PyExc_TypeError, "%s has no method %s to guard", type->tp_name, name);
        return -1;
    }
    *real = ((PyMethodDescrObject *)method)->d_method->ml_meth;
    ((PyMethodDescrObject *)method)->d_method->ml_meth = guarded;
    return 0;
}

static int guard_iterators(PyTypeObject *type, PyObject *nested)
{
    PyObject *init = PyDict_GetItemString(type->tp_dict, "__init__");

    if (init == NULL || !Py_IS_TYPE(init, &PyWrapperDescr_Type) || !PyCFunction_Check(nested)) {
        PyErr_SetString(PyExc_TypeError, "numpy.nditer or nested_iters is not what it was");
        return -1;
    }
    kept = PyDict_New();
    if (kept == NULL || guard_method(type, "close", guarded_close, &real_close) < 0 ||
        guard_method(type, "__exit__", guarded_exit, &real_exit) < 0)
        return -1;
    real_init = type->tp_init;
    real_dealloc = type->tp_dealloc;
    real_nested = ((PyCFunctionObject *)nested)->m_ml->ml_meth;
    type->tp_init = guarded_init;
    ((PyWrapperDescrObject *)init)->d_wrapped = (void *)guarded_init; /* super().__init__() */
    type->tp_dealloc = guarded_dealloc;
    ((PyCFunctionObject *)nested)->m_ml->ml_meth = (PyCFunction)(void (*)(void))guarded_nested;
    return 0;
}

/* guard_arrays(numpy.ndarray, numpy.nditer, numpy.nested_iters) */
PyObject *door_guard_arrays(PyObject *module, PyObject *args)
{
    PyTypeObject *array, *iterator;
    PyObject *nested;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyType_Type, &array, &PyType_Type, &iterator, &nested))
        return NULL;
    if (array_type)
        Py_RETURN_NONE; /* guarded already */
    if (guard_method(array, "resize", (PyCFunction)(void (*)(void))guarded_resize, &real_resize) <
            0 ||
        guard_method(array, "setflags", (PyCFunction)(void (*)(void))guarded_setflags,
                     &real_setflags) < 0 ||
        guard_getset(array, "base", guarded_base, NULL, &base_made, &base_real) < 0 ||
        guard_getset(array, "data", NULL, guarded_data, &data_made, &data_real) < 0 ||
        guard_iterators(iterator, nested) < 0)
        return NULL;
    array_type = (PyTypeObject *)Py_NewRef(array);
    Py_RETURN_NONE;
}

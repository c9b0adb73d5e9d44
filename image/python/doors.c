/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Python module `doors` checks at the moment of a call what depends on values, so that the
 * validator cannot check it. Through some functions of libraries ("doors") a text that analysis
 * code computed can be evaluated, imported, or used as the name of an attribute. This module
 * replaces what such functions call:
 *
 * - `getattr`, `setattr`, `delattr`: a dangerous name is allowed only if it is a constant of the
 *   calling function, and not a value that was passed to it.
 * - `eval`, `exec`, `compile`: only in the functions that the rules list, and only for texts that
 *   match their pattern.
 * - the attributes of frames, code, generators and tracebacks: only in the functions that the rules
 *   list. Those of functions, methods and types: not in analysis code.
 * - metaclasses: not in analysis code.
 * - attributes of modules, and of functions of libraries: not changed by analysis code.
 *
 * Classes of libraries become immutable. The rules come from door_rules.py. Nothing is refused
 * before arm(), and it cannot be undone. Written for CPython 3.11, whose types it changes.
 */
#include "image/python/doors.h"

/* The original functions, which the guarded ones call. */
static PyObject *real_getattr, *real_setattr, *real_delattr, *real_eval, *real_exec, *real_compile,
    *real_import_module, *real_global_enum;
static newfunc real_attrgetter_new, real_methodcaller_new;
static setattrofunc real_function_setattr, real_module_setattr;

/* ---- names of attributes ---- */

static int is_function(PyObject *object)
{
    return PyFunction_Check(object) || PyMethod_Check(object) || PyCFunction_Check(object);
}

/* How an attribute is used by its name. update_wrapper() reads with a default what it copies from,
 * and without one what it then changes. */
enum access { READS, READS_IF_THERE, STORES };

/* The code that called the running function. A new reference, or NULL. */
static PyCodeObject *caller_behind(void)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyFrameObject *back = frame ? PyFrame_GetBack(frame) : NULL;
    PyCodeObject *code = back ? PyFrame_GetCode(back) : NULL;

    Py_XDECREF(back);
    Py_XDECREF(frame);
    return code;
}

/* Whether the running code, a library's, may change a library's function: one that it has made, or
 * while it is imported. What update_wrapper() does, its caller does. */
static int may_change(PyObject *function, PyCodeObject *code)
{
    PyCodeObject *behind =
        door_has(door_rules.public, code) ? caller_behind() : (PyCodeObject *)Py_NewRef(code);
    PyObject *made = PyFunction_GET_CODE(function);
    int found = 0;

    for (Py_ssize_t i = 0; behind && !found && i < PyTuple_GET_SIZE(behind->co_consts); i++)
        found = PyTuple_GET_ITEM(behind->co_consts, i) == made;
    found = found || (behind && !door_is_analysis(behind) &&
                      (door_is_own(behind) || door_has(door_rules.functions, behind)));
    Py_XDECREF(behind);
    return found || door_is_importing();
}

static int is_analysis_behind(PyCodeObject *code)
{
    PyCodeObject *behind = door_has(door_rules.public, code) ? caller_behind() : NULL;
    int found = behind == NULL || door_is_analysis(behind);

    Py_XDECREF(behind);
    return found;
}

/* Whether it is a class of a library, written in Python. */
static int is_frozen(PyTypeObject *type)
{
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) &&
           ((PyHeapTypeObject *)type)->_ht_tpname == NULL; /* that of a type made in C */
}

/* Whether a name that a rule allows may be computed for this object: not for a module, not the
 * dictionary of a type, and annotations are read only from functions, because an instance has those
 * of its class. */
static int fits_rule(PyObject *object, PyObject *name, enum access access, PyCodeObject *code)
{
    if (PyModule_Check(object))
        return 0;
    if (PyUnicode_CompareWithASCIIString(name, "__annotations__") == 0)
        return access == STORES ? !PyType_Check(object) : is_function(object);
    if (PyUnicode_CompareWithASCIIString(name, "__dict__") != 0)
        return 1;
    if (PyType_Check(object) || is_frozen(Py_TYPE(object)))
        return 0;
    return !door_is_librarys(object) || may_change(object, code) ||
           (access == READS_IF_THERE && !is_analysis_behind(code));
}

/* object is NULL if it is not known yet. name may be any object; the real function refuses one that
 * is not a str. Returns 0, or -1 with an exception. */
static int check_name(PyObject *object, PyObject *name, enum access access)
{
    PyCodeObject *code;
    PyObject *allowed;
    int passes;

    if (!door_rules.armed || !PyUnicode_Check(name) || PyUnicode_READY(name) < 0 ||
        !(door_is_dangerous(name) || door_is_private(name)))
        return PyErr_Occurred() ? -1 : 0;
    code = door_caller();
    if (code == NULL)
        return 0;
    if (!door_is_dangerous(name) && !door_has(door_rules.public, code)) {
        int analysis = door_is_analysis(code);

        Py_DECREF(code);
        return analysis ? door_check_private(object, name, access != STORES) : 0;
    }
    passes =
        door_is_own(code) || (!door_is_analysis(code) &&
                              (door_is_constant(code->co_consts, name) || door_is_importing()));
    allowed = passes ? NULL : door_rule(door_rules.attributes, code);
    if (allowed && PySet_Contains(allowed, name) != 1)
        allowed = NULL;
    passes = passes || (allowed && object && fits_rule(object, name, access, code));
    Py_DECREF(code);
    if (passes)
        return 0;
    if (!allowed)
        return door_refuse("attribute-by-name", "attribute '%U' is out of reach by its name", name);
    PyErr_SetObject(PyExc_AttributeError, name); /* callers expect this one */
    return -1;
}

/* Modules are not changed by analysis code, nor by functions that get the name from it; functions
 * of libraries only by what made them. */
static int check_store(PyObject *object, PyObject *name)
{
    PyCodeObject *code = door_rules.armed ? door_caller() : NULL;
    int refused = 0;

    if (code && PyModule_Check(object))
        refused = door_is_analysis(code) || door_has(door_rules.public, code);
    else if (code && door_is_librarys(object))
        refused = door_is_analysis(code) || !may_change(object, code);
    Py_XDECREF(code);
    return refused ? door_refuse("library-function",
                                 "attribute '%U' of a library's module or function is not changed",
                                 name)
                   : 0;
}

static int guarded_function_setattr(PyObject *function, PyObject *name, PyObject *value)
{
    return check_store(function, name) < 0 ? -1 : real_function_setattr(function, name, value);
}

static int guarded_module_setattr(PyObject *module, PyObject *name, PyObject *value)
{
    return check_store(module, name) < 0 ? -1 : real_module_setattr(module, name, value);
}

/* The text that is checked must be the text that is looked up, but the methods of a subclass of str
 * can tell a dictionary another one. A new reference, or NULL with an exception. */
static PyObject *plain_name(PyObject *name)
{
    return PyUnicode_Check(name) && !PyUnicode_CheckExact(name) ? PyUnicode_FromObject(name)
                                                                : Py_NewRef(name);
}

/* No module is found by a computed name: it leads to all others, and to files. */
static int check_module(PyObject *name)
{
    PyCodeObject *code = door_caller();
    int passes = code == NULL || door_is_own(code) ||
                 (!door_is_analysis(code) &&
                  (door_is_constant(code->co_consts, name) || door_is_importing()));

    Py_XDECREF(code);
    return passes
               ? 0
               : door_refuse("attribute-by-name", "module '%U' is out of reach by its name", name);
}

/* getattr(), setattr() or delattr(): (object, name) or (object, name, value). */
static PyObject *by_name(PyObject *function, PyObject *const *args, Py_ssize_t count, int stores)
{
    PyObject *plain[3] = {0}, *done = NULL;

    if (!door_rules.armed || count < 2 || count > 3)
        return PyObject_Vectorcall(function, args, (size_t)count, NULL);
    plain[0] = args[0];
    plain[1] = plain_name(args[1]);
    plain[2] = count == 3 ? args[2] : NULL;
    if (plain[1] == NULL)
        return NULL;
    if (check_name(plain[0], plain[1], stores ? STORES : plain[2] ? READS_IF_THERE : READS) < 0) {
        if (!stores && plain[2] && PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Clear();
            done = Py_NewRef(plain[2]);
        }
        goto out;
    }
    if (stores && plain[2] && PyUnicode_Check(plain[1]) &&
        PyUnicode_CompareWithASCIIString(plain[1], "__match_args__") == 0 &&
        door_check_match_names(plain[0], plain[2]) < 0)
        goto out;
    done = PyObject_Vectorcall(function, plain, (size_t)count, NULL);
    if (done && PyModule_Check(done) && check_module(plain[1]) < 0)
        Py_CLEAR(done);
out:
    Py_DECREF(plain[1]);
    return done;
}

static PyObject *guarded_getattr(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    return by_name(real_getattr, args, count, 0);
}

static PyObject *guarded_setattr(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    return by_name(real_setattr, args, count, 1);
}

static PyObject *guarded_delattr(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    return by_name(real_delattr, args, count, 1);
}

/* operator.attrgetter("a.b", ...) and operator.methodcaller("name", ...) use the names later. */
static int check_kept_names(PyObject *args, Py_ssize_t count)
{
    PyObject *dot = PyUnicode_FromString("."), *parts;
    int done = dot ? 0 : -1;

    for (Py_ssize_t i = 0; done == 0 && i < count && i < PyTuple_GET_SIZE(args); i++) {
        PyObject *names = PyTuple_GET_ITEM(args, i);

        if (!PyUnicode_Check(names))
            continue;
        if (!PyUnicode_CheckExact(names)) {
            done = door_refuse("attribute-by-name", "the name of an attribute must be a plain str",
                               NULL);
            break;
        }
        parts = PyUnicode_Split(names, dot, -1);
        done = parts ? 0 : -1;
        for (Py_ssize_t part = 0; done == 0 && part < PyList_GET_SIZE(parts); part++)
            done = check_name(NULL, PyList_GET_ITEM(parts, part), READS);
        Py_XDECREF(parts);
    }
    Py_XDECREF(dot);
    return done;
}

static PyObject *guarded_attrgetter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (door_rules.armed && check_kept_names(args, PY_SSIZE_T_MAX) < 0)
        return NULL;
    return real_attrgetter_new(type, args, keywords);
}

static PyObject *guarded_methodcaller_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (door_rules.armed && check_kept_names(args, 1) < 0)
        return NULL;
    return real_methodcaller_new(type, args, keywords);
}

/* ---- texts run as code ---- */

static int check_text(PyObject *source)
{
    PyCodeObject *code;
    PyObject *rule, *match;
    int passes;

    if (!door_rules.armed)
        return 0;
    code = door_caller();
    if (code == NULL)
        return 0;
    rule = door_rule(door_rules.texts, code);
    passes = door_is_own(code) || rule == Py_True || (rule == NULL && door_is_importing());
    if (!passes && rule && PyCode_Check(source)) /* compile() has checked its text */
        passes = !door_is_analysis((PyCodeObject *)source);
    if (!passes && rule && PyUnicode_Check(source)) {
        match = PyObject_CallMethod(rule, "fullmatch", "O", source);
        passes = match && match != Py_None;
        Py_XDECREF(match);
    }
    Py_DECREF(code);
    if (passes)
        return 0;
    return door_refuse("text-as-code", "text is not run as code here", NULL);
}

/* The event "exec" of the real function is expected; door_audit() refuses others. */
static PyObject *call_real(PyObject *function, PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords)
{
    PyObject *done;

    door_rules.running = 1;
    done = PyObject_Vectorcall(function, args, (size_t)count, keywords);
    door_rules.running = 0;
    return done;
}

/* Without namespaces the real functions use those of their caller, so this passes them explicitly.
 */
static PyObject *run_text(PyObject *function, PyObject *const *args, Py_ssize_t count,
                          PyObject *keywords)
{
    PyObject *with_names[3];

    if (count == 0)
        return PyObject_Vectorcall(function, args, 0, keywords);
    if (check_text(args[0]) < 0)
        return NULL;
    if (count > 1)
        return call_real(function, args, count, keywords);
    with_names[0] = args[0];
    with_names[1] = PyEval_GetGlobals();
    with_names[2] = PyEval_GetLocals();
    return call_real(function, with_names, 3, NULL);
}

static PyObject *guarded_eval(PyObject *module, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords)
{
    (void)module;
    return run_text(real_eval, args, count, keywords);
}

static PyObject *guarded_exec(PyObject *module, PyObject *const *args, Py_ssize_t count,
                              PyObject *keywords)
{
    (void)module;
    return run_text(real_exec, args, count, keywords);
}

/* Whether compile(source, filename, mode, flags, ...) makes a tree, which runs nothing. */
static int makes_tree(PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    PyObject *flags = count > 3 ? args[3] : NULL;
    long value;

    for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); i++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, i), "flags") == 0)
            flags = args[count + i];
    }
    value = flags ? PyLong_AsLong(flags) : 0;
    PyErr_Clear(); /* the real function refuses flags that are not a number */
    return value != -1 && (value & PyCF_ONLY_AST);
}

static PyObject *guarded_compile(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                 PyObject *keywords)
{
    (void)module;
    if (count > 0 && !makes_tree(args, count, keywords) && check_text(args[0]) < 0)
        return NULL;
    return PyObject_Vectorcall(real_compile, args, (size_t)count, keywords);
}

/* "scipy/sparse/__init__.py" may import "scipy.linalg". */
static int is_same_package(const PyCodeObject *code, PyObject *module)
{
    PyObject *key = door_key(code);
    const char *file = key ? PyUnicode_AsUTF8(key) : NULL, *name = PyUnicode_AsUTF8(module);
    size_t len = file ? strcspn(file, "/") : 0;
    int same =
        name && file && file[len] == '/' && strncmp(file, name, len) == 0 && name[len] == '.';

    Py_XDECREF(key);
    PyErr_Clear();
    return same;
}

/* importlib.import_module(name, package=None) */
static PyObject *guarded_import_module(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                       PyObject *keywords)
{
    PyCodeObject *code = door_rules.armed ? door_caller() : NULL;
    PyObject *name = count > 0 ? args[0] : Py_None, *rule;
    int passes = code == NULL;

    (void)module;
    if (code && PyUnicode_CheckExact(name)) {
        rule = door_rule(door_rules.modules, code);
        passes = door_is_own(code) || rule == Py_True || door_is_importing() ||
                 is_same_package(code, name) || (rule && PySet_Contains(rule, name) == 1) ||
                 (!door_is_analysis(code) && door_is_constant(code->co_consts, name));
    }
    Py_XDECREF(code);
    if (!passes) {
        PyErr_Format(PyExc_ImportError,
                     "module '%S' is not imported by its name (rule: import-by-name)", name);
        return NULL;
    }
    return PyObject_Vectorcall(real_import_module, args, (size_t)count, keywords);
}

/* ---- attributes of interpreter objects ---- */

struct guarded_attribute {
    PyObject_HEAD PyObject *real; /* the replaced descriptor */
    int frames;                   /* only functions that may read frames */
};

static int check_attribute(const struct guarded_attribute *attribute)
{
    PyCodeObject *code;
    PyObject *name;
    int passes;

    if (!door_rules.armed)
        return 0;
    code = door_caller();
    if (code == NULL)
        return 0;
    passes = door_is_own(code) ||
             (!door_is_analysis(code) &&
              (!attribute->frames || door_has(door_rules.frames, code) || door_is_importing()));
    Py_DECREF(code);
    if (passes)
        return 0;
    name = PyObject_GetAttrString(attribute->real, "__name__");
    if (name)
        door_refuse("interpreter-object", "attribute '%U' is the interpreter's own", name);
    Py_XDECREF(name);
    return -1;
}

static PyObject *attribute_get(PyObject *self, PyObject *object, PyObject *type)
{
    const struct guarded_attribute *attribute = (const struct guarded_attribute *)self;

    if (check_attribute(attribute) < 0)
        return NULL;
    if (object == NULL)
        return Py_NewRef(self);
    return Py_TYPE(attribute->real)->tp_descr_get(attribute->real, object, type);
}

static int attribute_set(PyObject *self, PyObject *object, PyObject *value)
{
    const struct guarded_attribute *attribute = (const struct guarded_attribute *)self;
    descrsetfunc set = Py_TYPE(attribute->real)->tp_descr_set;

    if (check_attribute(attribute) < 0)
        return -1;
    if (set == NULL) {
        PyErr_SetString(PyExc_AttributeError, "attribute is read-only");
        return -1;
    }
    return set(attribute->real, object, value);
}

static void attribute_dealloc(PyObject *self)
{
    Py_XDECREF(((struct guarded_attribute *)self)->real);
    PyObject_Free(self);
}

static PyTypeObject guarded_attribute_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "guarded_attribute",
    .tp_basicsize = sizeof(struct guarded_attribute),
    .tp_dealloc = attribute_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_descr_get = attribute_get,
    .tp_descr_set = attribute_set,
};

/* Replaces an entry of a type's dictionary. Python code cannot do that for types written in C. */
static int replace_entry(PyTypeObject *type, PyObject *name, PyObject *value)
{
    int done = PyDict_SetItem(type->tp_dict, name, value);

    PyType_Modified(type);
    return done;
}

/* replace(type, name, value): likewise, for the sandbox's own code. */
static PyObject *replace(PyObject *module, PyObject *args)
{
    PyTypeObject *type;
    PyObject *name, *value;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!UO", &PyType_Type, &type, &name, &value) ||
        replace_entry(type, name, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* guard_attribute(type, name, frames) */
static PyObject *guard_attribute(PyObject *module, PyObject *args)
{
    PyTypeObject *type;
    PyObject *name, *real;
    struct guarded_attribute *made;
    int frames, done;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!Up", &PyType_Type, &type, &name, &frames))
        return NULL;
    real = PyDict_GetItemWithError(type->tp_dict, name);
    if (real == NULL)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_KeyError, "%U", name);
    made = PyObject_New(struct guarded_attribute, &guarded_attribute_type);
    if (made == NULL)
        return NULL;
    made->real = Py_NewRef(real);
    made->frames = frames;
    done = replace_entry(type, name, (PyObject *)made);
    Py_DECREF(made);
    return done < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- the module ---- */

static PyMethodDef guarded[] = {
    {"getattr", (PyCFunction)(void (*)(void))guarded_getattr, METH_FASTCALL, NULL},
    {"setattr", (PyCFunction)(void (*)(void))guarded_setattr, METH_FASTCALL, NULL},
    {"delattr", (PyCFunction)(void (*)(void))guarded_delattr, METH_FASTCALL, NULL},
    {"eval", (PyCFunction)(void (*)(void))guarded_eval, METH_FASTCALL | METH_KEYWORDS, NULL},
    {"exec", (PyCFunction)(void (*)(void))guarded_exec, METH_FASTCALL | METH_KEYWORDS, NULL},
    {"compile", (PyCFunction)(void (*)(void))guarded_compile, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyObject **const behind[] = {&real_getattr, &real_setattr, &real_delattr,
                                    &real_eval,    &real_exec,    &real_compile};

/* enum.global_enum(class) writes into the namespace of any module, by its name. */
static PyObject *guarded_global_enum(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                     PyObject *keywords)
{
    PyCodeObject *code = door_rules.armed ? door_caller() : NULL;
    int passes = code == NULL || door_is_own(code) || door_is_importing();

    (void)module;
    Py_XDECREF(code);
    if (!passes) {
        door_refuse("library-function", "a module's names are not changed", NULL);
        return NULL;
    }
    return PyObject_Vectorcall(real_global_enum, args, (size_t)count, keywords);
}

static PyMethodDef global_enum = {"global_enum", (PyCFunction)(void (*)(void))guarded_global_enum,
                                  METH_FASTCALL | METH_KEYWORDS, NULL};
static PyMethodDef import_module = {"import_module",
                                    (PyCFunction)(void (*)(void))guarded_import_module,
                                    METH_FASTCALL | METH_KEYWORDS, NULL};

static int guard_builtins(void)
{
    PyObject *builtins = PyEval_GetBuiltins(), *function;
    int done = 0;

    for (size_t i = 0; done == 0 && guarded[i].ml_name; i++) {
        *behind[i] = Py_XNewRef(PyDict_GetItemString(builtins, guarded[i].ml_name));
        function = PyCFunction_New(&guarded[i], NULL);
        done = *behind[i] && function ? PyDict_SetItemString(builtins, guarded[i].ml_name, function)
                                      : -1;
        Py_XDECREF(function);
    }
    return done;
}

static int guard_function(const char *module_name, PyMethodDef *guarded_function, PyObject **real)
{
    PyObject *module = PyImport_ImportModule(module_name), *function = NULL;
    int done = -1;

    *real = module ? PyObject_GetAttrString(module, guarded_function->ml_name) : NULL;
    function = *real ? PyCFunction_New(guarded_function, NULL) : NULL;
    if (function)
        done = PyObject_SetAttrString(module, guarded_function->ml_name, function);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return done;
}

static int guard_new(const char *type_name, newfunc guarded_new, newfunc *real)
{
    PyObject *operator= PyImport_ImportModule("_operator");
    PyObject *type = operator? PyObject_GetAttrString(operator, type_name) : NULL;

    if (type) {
        *real = ((PyTypeObject *)type)->tp_new;
        ((PyTypeObject *)type)->tp_new = guarded_new;
    }
    Py_XDECREF(type);
    Py_XDECREF(operator);
    return type ? 0 : -1;
}

/* install(**rules), with a keyword for each row. Must run before any library is imported, so that
 * none keeps an original function. */
static PyObject *install(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module, (void)args;
    if (door_rules.filename) {
        PyErr_SetString(PyExc_RuntimeError, "the doors have their rules already");
        return NULL;
    }
    if (door_take_rules(keywords) < 0 || PyType_Ready(&guarded_attribute_type) < 0 ||
        guard_builtins() < 0 ||
        guard_function("importlib", &import_module, &real_import_module) < 0 ||
        guard_function("enum", &global_enum, &real_global_enum) < 0 ||
        guard_new("attrgetter", guarded_attrgetter_new, &real_attrgetter_new) < 0 ||
        guard_new("methodcaller", guarded_methodcaller_new, &real_methodcaller_new) < 0 ||
        PySys_AddAuditHook(door_audit, NULL) < 0)
        return NULL;
    real_function_setattr = PyFunction_Type.tp_setattro;
    PyFunction_Type.tp_setattro = guarded_function_setattr;
    real_module_setattr = PyModule_Type.tp_setattro;
    PyModule_Type.tp_setattro = guarded_module_setattr;
    door_guard_classes();
    Py_RETURN_NONE;
}

/* arm(): applies the rules from now on, permanently. */
static PyObject *arm(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    door_rules.armed = 1;
    Py_RETURN_NONE;
}

/* run(code, namespace): like eval(), but without a Python frame below, so that the outermost frame
 * of the code leads nowhere. */
static PyObject *run(PyObject *module, PyObject *args)
{
    PyObject *code, *names, *value;
    PyThreadState *state = PyThreadState_Get();
    struct _PyInterpreterFrame *beneath = state->cframe->current_frame;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyCode_Type, &code, &PyDict_Type, &names))
        return NULL;
    Py_XSETREF(door_rules.namespace, Py_NewRef(names));
    state->cframe->current_frame = NULL;
    value = PyEval_EvalCode(code, names, names);
    state->cframe->current_frame = beneath;
    return value;
}

static PyMethodDef methods[] = {
    {"install", (PyCFunction)(void (*)(void))install, METH_VARARGS | METH_KEYWORDS, NULL},
    {"guard_attribute", guard_attribute, METH_VARARGS, NULL},
    {"replace", replace, METH_VARARGS, NULL},
    {"guard_arrays", door_guard_arrays, METH_VARARGS, NULL},
    {"hand_copies", door_hand_copies, METH_O, NULL},
    {"seal", door_seal, METH_O, NULL},
    {"freeze_classes", door_freeze_classes, METH_O, NULL},
    {"arm", arm, METH_NOARGS, NULL},
    {"own", (PyCFunction)(void (*)(void))door_own, METH_FASTCALL, NULL},
    {"run", run, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef doors = {PyModuleDef_HEAD_INIT, .m_name = "doors", .m_size = -1,
                                   .m_methods = methods};

PyMODINIT_FUNC PyInit_doors(void);
PyMODINIT_FUNC PyInit_doors(void)
{
    return PyModule_Create(&doors);
}

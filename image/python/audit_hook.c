/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interpreter's audit hook: it limits files, folders and the other events that the rules name.
 * It is in C so that no Python object leads to it and no assignment can disable it.
 */
#include "image/python/doors.h"

#include <fcntl.h>
#include <opcode.h>
#include <string.h>

#define WRITE_FLAGS (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

/* path: of a file or folder, as passed to open() or listdir(). Libraries use absolute paths. */
static int is_readable(PyObject *path)
{
    PyObject *name = NULL, *text = NULL;
    int found = 0;

    if (!PyLong_Check(path) && PyUnicode_FSDecoder(path, &name))
        text = PyUnicode_FromFormat("%U/", name);
    for (Py_ssize_t i = 0; text && !found && i < PyTuple_GET_SIZE(door_rules.readable); i++)
        found = door_begins_with(text, PyTuple_GET_ITEM(door_rules.readable, i));
    if (found && (PyUnicode_AsUTF8(text) == NULL || strstr(PyUnicode_AsUTF8(text), "/../")))
        found = 0;
    PyErr_Clear(); /* what cannot be read as a path is not a library's */
    Py_XDECREF(text);
    Py_XDECREF(name);
    return found;
}

static int opens_to_read(PyObject *args)
{
    PyObject *mode = PyTuple_GET_ITEM(args, 1);
    long flags = PyLong_AsLong(PyTuple_GET_ITEM(args, 2));
    const char *letters = PyUnicode_Check(mode) ? PyUnicode_AsUTF8(mode) : "";

    if (PyErr_Occurred() || letters == NULL) {
        PyErr_Clear();
        return 0;
    }
    return !(flags & WRITE_FLAGS) && strpbrk(letters, "wax+") == NULL &&
           is_readable(PyTuple_GET_ITEM(args, 0));
}

static int is_refused(const char *event, PyObject *name)
{
    const char *dot = strchr(event, '.');
    PyObject *family =
        PyUnicode_FromStringAndSize(event, dot ? dot - event : (Py_ssize_t)strlen(event));
    int found = family == NULL || PySet_Contains(door_rules.events, name) == 1 ||
                (PySet_Contains(door_rules.families, family) == 1 &&
                 PySet_Contains(door_rules.harmless, name) != 1);

    Py_XDECREF(family);
    /* The imports of numpy and scipy bind C functions with ctypes. */
    return found && !(strncmp(event, "ctypes.", 7) == 0 && door_is_importing());
}

/* Whether the running function imports by an import statement, or lets a function written in C
 * import something: those have constant names. Otherwise it calls __import__(). */
static int imports_openly(const PyCodeObject *code, PyObject *name)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyObject *word = PyUnicode_FromString("__import__"),
             *bytes = PyCode_GetCode((PyCodeObject *)code);
    int last = frame ? PyFrame_GetLasti(frame) : -1, open = 0;

    if (word && bytes && last >= 0 && last < PyBytes_GET_SIZE(bytes))
        open = (unsigned char)PyBytes_AS_STRING(bytes)[last] == IMPORT_NAME ||
               PySequence_Contains(code->co_names, word) == 0 ||
               door_is_constant(code->co_consts, name);
    Py_XDECREF(word);
    Py_XDECREF(bytes);
    Py_XDECREF(frame);
    return open;
}

/* Of a module that is not loaded yet. */
static int check_import(PyObject *name)
{
    PyCodeObject *code = door_caller();
    int passes = code == NULL || door_is_own(code) || imports_openly(code, name) ||
                 door_rule(door_rules.modules, code) == Py_True || door_is_importing();

    Py_XDECREF(code);
    if (passes)
        return 0;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ImportError,
                     "module '%S' is not imported by its name (rule: import-by-name)", name);
    return -1;
}

/* A text or code that C runs without asking: only while a module is imported. */
static int check_exec(void)
{
    PyCodeObject *code;
    int passes = door_rules.running || door_is_importing();

    door_rules.running = 0;
    code = passes ? NULL : door_caller();
    passes = passes || (code && door_is_own(code));
    Py_XDECREF(code);
    return passes ? 0 : door_refuse("text-as-code", "text is not run as code here", NULL);
}

static int check_event(const char *event, PyObject *name, PyObject *args)
{
    PyCodeObject *code;
    int passes = 1;

    if (PySet_Contains(door_rules.looking, name) == 1) {
        code = door_caller();
        passes = code == NULL || !door_is_analysis(code);
        Py_XDECREF(code);
        return passes ? 0
                      : door_refuse("interpreter-object", "%S is the interpreter's own",
                                    PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 1) : name);
    }
    if (strcmp(event, "exec") == 0)
        return check_exec();
    if (strcmp(event, "import") == 0)
        return check_import(PyTuple_GET_ITEM(args, 0));
    if (strcmp(event, "open") == 0)
        return opens_to_read(args)
                   ? 0
                   : door_refuse("file",
                                 "files are out of reach; use the functions of code_helpers", NULL);
    if (PySet_Contains(door_rules.listing, name) == 1)
        return is_readable(PyTuple_GET_ITEM(args, 0))
                   ? 0
                   : door_refuse("file", "folders are out of reach", NULL);
    return is_refused(event, name)
               ? door_refuse("event", "%U is not allowed in analysis code", name)
               : 0;
}

int door_audit(const char *event, PyObject *args, void *unused)
{
    PyObject *name;
    int done;

    (void)unused;
    if (!door_rules.armed)
        return 0;
    name = PyUnicode_FromString(event);
    done = name ? check_event(event, name, args) : -1;
    Py_XDECREF(name);
    return done;
}

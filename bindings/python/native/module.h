// SPDX-License-Identifier: Apache-2.0
// What is added to the module and its types when the extension is imported.

#define GS_PY_FAST(function) ((PyCFunction)(void (*)(void))(function))

static int gs_py_replace(PyObject **place, PyObject *value) {
    Py_XINCREF(value);
    Py_XSETREF(*place, value);
    return 0;
}

static PyTypeObject *gs_py_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base) {
    PyObject *bases = PyTuple_Pack(1, base);
    if (!bases) return NULL;
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpecWithBases(spec, bases);
    Py_DECREF(bases);
    if (!type) return NULL;
    Py_INCREF(type);
    if (PyModule_AddObject(module, strrchr(spec->name, '.') + 1, (PyObject *)type) < 0) return NULL;
    return type;
}

// The public classes. A class statement would make them collectable, and every object dearer by what that costs; they
// refer to nothing, so they need not be. Classes that users derive are, as usual.
static PyTypeObject *gs_py_derive(PyObject *module, const char *name, PyTypeObject *base, destructor dealloc,
                                  vectorcallfunc call) {
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)dealloc}, {0, NULL}};
    PyType_Spec spec = {.name = name,
                        .basicsize = sizeof(SwigPyObject),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    PyTypeObject *type = gs_py_add_type(module, &spec, base);
    if (type) type->tp_vectorcall = call; // derived classes do not inherit it
    return type;
}

// (error, stream, device, log, deferred, waiting): the package's functions. From here on the library's messages are
// Python's.
static PyObject *gs_py_set_hooks(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *error, *stream, *device, *log, *deferred, *waiting;
    if (!PyArg_ParseTuple(arguments, "OOOOOO", &error, &stream, &device, &log, &deferred, &waiting)) return NULL;
    gs_py_replace(&gs_py_hook_error, error);
    gs_py_replace(&gs_py_hook_stream, stream);
    gs_py_replace(&gs_py_hook_device, device);
    gs_py_replace(&gs_py_hook_log, log);
    gs_py_replace(&gs_py_hook_deferred, deferred);
    gs_py_replace(&gs_py_hook_waiting, waiting);
    return gs_py_none_or_fail(gs_set_log_callback(gs_py_log, NULL));
}

static PyMethodDef gs_py_functions[] = {
    {"current_stream", GS_PY_FAST(gs_py_current_stream), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_current_stream},
    {"default_stream", GS_PY_FAST(gs_py_default_stream), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_default_stream},
    {"synchronize", GS_PY_FAST(gs_py_device_synchronize), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_synchronize},
    {"set_current_stream", gs_py_set_current_stream, METH_O, NULL},
    {"set_hooks", gs_py_set_hooks, METH_VARARGS, NULL},
    {"start", gs_py_start_entry, METH_NOARGS, NULL},
    {"call_on_init", gs_py_call_on_init, METH_O, NULL},
    {"notify", GS_PY_FAST(gs_py_notify), METH_FASTCALL, NULL},
    {"mailbox_wait", gs_py_mailbox_wait, METH_NOARGS, NULL},
    {"mailbox_close", gs_py_mailbox_close, METH_NOARGS, NULL},
    {"mailbox_forget", gs_py_mailbox_forget, METH_NOARGS, NULL},
    {"set_pending_callbacks", gs_py_set_pending_callbacks, METH_O, NULL},
    {"from_native", GS_PY_FAST(gs_py_from_native), METH_FASTCALL, NULL},
    {"event_from_native", GS_PY_FAST(gs_py_event_from_native), METH_FASTCALL, NULL},
    {"event_from_ipc", GS_PY_FAST(gs_py_event_from_ipc), METH_FASTCALL, NULL},
    {"borrow_stream", gs_py_borrow_stream, METH_O, NULL},
    {"borrow_event", gs_py_borrow_event, METH_O, NULL},
    {"handle_of", gs_py_handle_of, METH_O, NULL},
    {"may_export", gs_py_may_export, METH_O, NULL},
    {"detach", gs_py_detach, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static int gs_py_add_methods(PyTypeObject *type, PyMethodDef *methods) {
    for (; methods->ml_name; ++methods) {
        PyObject *method = PyDescr_NewMethod(type, methods);
        if (!method || PyDict_SetItemString(type->tp_dict, methods->ml_name, method) < 0) return -1;
        Py_DECREF(method);
    }
    return 0;
}

// SWIG's base class offers pointers, ownership and chains of objects to everybody. Nothing here needs them, and an
// instance dict that the collector does not know would hide cycles: derived classes get dicts of their own.
static int gs_py_tidy(PyTypeObject *type) {
    static const char *const surplus[] = {"this",    "thisown", "__dict__", "append",  "next",    "own", "disown",
                                          "acquire", "__int__", "__hex__",  "__oct__", "__str__", NULL};
    PyTypeObject *base = type->tp_base;
    PyTypeObject *const both[2] = {type, base};
    for (int i = 0; i < 2; ++i) {
        for (const char *const *name = surplus; *name; ++name)
            if (PyDict_GetItemString(both[i]->tp_dict, *name) && PyDict_DelItemString(both[i]->tp_dict, *name) < 0)
                return -1;
        if (both[i]->tp_as_number) both[i]->tp_as_number->nb_int = NULL;
        both[i]->tp_dictoffset = 0;
        both[i]->tp_str = PyBaseObject_Type.tp_str;
        PyType_Modified(both[i]);
    }
    return 0;
}

static int gs_py_finish_type(PyTypeObject *type, PyMethodDef *methods) {
    // SWIG's metaclass is for static members, which there are none of; a plain class is called faster.
    Py_INCREF(&PyType_Type);
    Py_SET_TYPE((PyObject *)type, &PyType_Type);
    if (gs_py_tidy(type) < 0 || gs_py_add_methods(type, methods) < 0) return -1;
    PyType_Modified(type);
    return 0;
}

// Asked before anything is made. The classes and hooks are the process's. Made a second time they would become another
// module's, and the objects of the first would fail.
static int gs_py_may_import(void) {
    static int imported;
    if (gs_abi_version() != GS_ABI_VERSION) {
        PyErr_Format(PyExc_ImportError,
                     "the gpustream library in this process has ABI version %u, this package needs %d",
                     gs_abi_version(), GS_ABI_VERSION);
        return -1;
    }
    if (imported) {
        PyErr_SetString(PyExc_ImportError,
                        "gpustream can be imported only once per process: not by a second interpreter, nor again after "
                        "it was removed from sys.modules");
        return -1;
    }
    imported = 1;
    return 0;
}

static int gs_py_finish_module(PyObject *module) {
    gs_py_stream_base = ((SwigPyClientData *)SWIGTYPE_p_gs_stream->clientdata)->pytype;
    gs_py_event_base = ((SwigPyClientData *)SWIGTYPE_p_gs_event->clientdata)->pytype;
    if (gs_py_finish_type(gs_py_stream_base, gs_py_stream_methods) < 0 ||
        gs_py_finish_type(gs_py_event_base, gs_py_event_methods) < 0)
        return -1;
    PyObject *leave = PyCFunction_New(&gs_py_exit_def, NULL);
    if (!leave || PyDict_SetItemString(gs_py_stream_base->tp_dict, "__exit__", leave) < 0) return -1;
    Py_DECREF(leave);
    PyType_Modified(gs_py_stream_base);
    gs_py_stream_type =
        gs_py_derive(module, "gpustream.Stream", gs_py_stream_base, gs_py_stream_dealloc, gs_py_stream_vectorcall);
    gs_py_event_type =
        gs_py_derive(module, "gpustream.Event", gs_py_event_base, gs_py_event_dealloc, gs_py_event_vectorcall);
    if (!gs_py_stream_type || !gs_py_event_type) return -1;
    gs_py_foreign_type = gs_py_add_type(module, &gs_py_foreign_spec, gs_py_stream_type);
    if (!gs_py_foreign_type) return -1;
    // Once more: the interpreter calls a method without detours only where the object's own class defines it.
    if (gs_py_add_methods(gs_py_stream_type, gs_py_stream_methods) < 0 ||
        gs_py_add_methods(gs_py_event_type, gs_py_event_methods) < 0 || gs_py_add_enter(gs_py_stream_type) < 0)
        return -1;
    PyType_Modified(gs_py_stream_type);
    PyType_Modified(gs_py_event_type);
    // SWIG does not read constants with a cast.
    if (PyModule_AddIntConstant(module, "GS_DEVICE_CURRENT", GS_DEVICE_CURRENT) < 0 ||
        PyModule_AddIntConstant(module, "GS_DEVICE_NONE", GS_DEVICE_NONE) < 0 || gs_py_read_gil_setting(module) < 0)
        return -1;
    return PyModule_AddFunctions(module, gs_py_functions);
}

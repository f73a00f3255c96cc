/* SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

#include "buffer.h"
#include "device_class.h"
#include "dlpack.h"
#include "docs.h"
#include "errors.h"
#include "event_rules.h"
#include "gil.h"
#include "hooks.h"
#include "memory.h"
#include "notifications.h"
#include "objects.h"
#include "scopes.h"
#include "waiting.h"

/* set_hooks(...), as hooks.h lists them: from here on the library's messages go to Python. */
static PyObject *set_hooks(PyObject *module, PyObject *functions) {
    (void)module;
    return gs_py_hooks_set(functions) < 0 ? NULL : gs_py_none_or_fail(gs_set_log_callback(gs_py_log, NULL));
}

/* mailbox_close(): at exit. */
static PyObject *mailbox_close(PyObject *module, PyObject *unused) {
    gs_py_let_all_go();
    return gs_py_mailbox_close(module, unused);
}

/* mailbox_forget(): in a forked child. */
static PyObject *mailbox_forget(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    gs_py_forget_locks();
    gs_py_forget_notifications();
    gs_py_forget_messages();
    gs_py_forget_devices();
    gs_py_forget_kept();
    gs_py_forget_announced();
    gs_py_forget_held();
    gs_py_forget_callbacks();
    gs_py_set_holding(0);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"current_stream", GS_PY_FAST(gs_py_current_stream), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_current_stream},
    {"default_stream", GS_PY_FAST(gs_py_default_stream), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_default_stream},
    {"stream", GS_PY_FAST(gs_py_stream_function), METH_FASTCALL | METH_KEYWORDS,
     "stream($module, stream)\n--\n\nStreamContext(stream)."},
    {"current_device", gs_py_current_device, METH_NOARGS,
     "current_device($module, /)\n--\n\nIndex of this thread's current device (int). Initialises the library at first "
     "use."},
    {"device_count", gs_py_device_count, METH_NOARGS,
     "device_count($module, /)\n--\n\nHow many devices the default backend has (int). Starts nothing; follows the "
     "environment "
     "until the first use."},
    {"current_raw_stream", GS_PY_FAST(gs_py_current_raw_stream), METH_FASTCALL | METH_KEYWORDS,
     "current_raw_stream($module, device=None)\n--\n\nThe driver's handle of this thread's current stream of a device "
     "(int; "
     "0: the default stream).\n\n"
     "Args:\n"
     "    device: a device; None or any negative number: the current one.\n\n"
     "Raises gpustream.InvalidDeviceError: there is no such device.\n\n"
     "From then on others may use the stream: keep current_stream() as long."},
    {"synchronize", GS_PY_FAST(gs_py_synchronize), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_synchronize},
    {"set_stream", GS_PY_FAST(gs_py_set_stream), METH_FASTCALL | METH_KEYWORDS,
     "set_stream($module, stream)\n--\n\nMake a stream and its device current on this thread. None: no effect. Prefer "
     "`with stream:`.\n\n"
     "Raises TypeError: it is not a stream."},
    {"set_device", GS_PY_FAST(gs_py_set_device), METH_FASTCALL | METH_KEYWORDS,
     "set_device($module, device)\n--\n\nMake a device current on this thread. Any negative number: no effect.\n\n"
     "Creates no context; does not initialise the library. Prefer `with gpustream.device(d):`.\n\n"
     "Raises:\n"
     "    gpustream.InvalidDeviceError: there is no such device.\n"
     "    TypeError: device is None.\n"
     "    ValueError: device has no index (\"cuda\")."},
    {"memory_allocated", GS_PY_FAST(gs_py_memory_allocated), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_memory_allocated},
    {"max_memory_allocated", GS_PY_FAST(gs_py_max_memory_allocated), METH_FASTCALL | METH_KEYWORDS,
     gs_py_doc_max_memory_allocated},
    {"memory_reserved", GS_PY_FAST(gs_py_memory_reserved), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_memory_reserved},
    {"max_memory_reserved", GS_PY_FAST(gs_py_max_memory_reserved), METH_FASTCALL | METH_KEYWORDS,
     gs_py_doc_max_memory_reserved},
    {"set_hooks", set_hooks, METH_VARARGS, NULL},
    {"start", gs_py_start_entry, METH_NOARGS, NULL},
    {"call_on_init", gs_py_call_on_init, METH_O, NULL},
    {"open_scopes", gs_py_open_scopes, METH_NOARGS, NULL},
    {"scope_begin", gs_py_scope_begin, METH_NOARGS, NULL},
    {"scope_end", gs_py_scope_end, METH_VARARGS, NULL},
    {"unwind_scopes", gs_py_unwind_scopes, METH_O, NULL},
    {"notify", GS_PY_FAST(gs_py_notify), METH_FASTCALL, NULL},
    {"mailbox_wait", gs_py_mailbox_wait, METH_NOARGS, NULL},
    {"mailbox_close", mailbox_close, METH_NOARGS, NULL},
    {"mailbox_forget", mailbox_forget, METH_NOARGS, NULL},
    {"warn_of_wait", gs_py_warn_of_wait, METH_NOARGS, NULL},
    {"call_after_warning", GS_PY_FAST(gs_py_call_after_warning), METH_FASTCALL, NULL},
    {"callback_returned", gs_py_callback_returned, METH_NOARGS, NULL},
    {"write_unraisable", gs_py_write_unraisable, METH_VARARGS, NULL},
    {"from_native", GS_PY_FAST(gs_py_from_native), METH_FASTCALL, NULL},
    {"borrow_stream", gs_py_borrow_stream, METH_O, NULL},
    {"borrow_event", gs_py_borrow_event, METH_O, NULL},
    {"may_export", gs_py_may_export, METH_O, NULL},
    {"detach", gs_py_detach, METH_O, NULL},
    {"dlpack_function", gs_py_dlpack_function, METH_NOARGS, NULL},
    {"library_file", gs_py_library_file, METH_NOARGS, NULL},
    {"device_of_parts", GS_PY_FAST(gs_py_device_of_parts), METH_FASTCALL, NULL},
    {"graph_keep", gs_py_graph_keep, METH_VARARGS, NULL},
    {"stream_keep", gs_py_stream_keep, METH_VARARGS, NULL},
    {"defer", GS_PY_FAST(gs_py_defer), METH_FASTCALL, NULL},
    {"host_holder", gs_py_host_holder, METH_NOARGS, NULL},
    {"launch_held", GS_PY_FAST(gs_py_launch_held), METH_FASTCALL, NULL},
    {"host_let_go", gs_py_host_let_go, METH_O, NULL},
    {"set_holding", gs_py_set_holding_from, METH_O, NULL},
    {"graph_release_ended", gs_py_graph_release_ended, METH_NOARGS, NULL},
    {"graph_announced", gs_py_graph_announced, METH_NOARGS, NULL},
    {"graph_served_count", gs_py_graph_served_count, METH_NOARGS, NULL},
    {"graph_served", gs_py_graph_served, METH_NOARGS, NULL},
    {"buffer_of", GS_PY_FAST(gs_py_buffer_from_address), METH_FASTCALL, NULL},
    {"buffer_from_capsule", GS_PY_FAST(gs_py_buffer_from_capsule), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

/* The classes and hooks are the process's. Made a second time they would become another module's, and the objects of the
   first would fail. */
int gs_py_may_import(void) {
    static int imports;
    if (gs_abi_version() != GS_ABI_VERSION) {
        PyErr_Format(PyExc_ImportError,
                     "the gpustream library in this process has ABI version %u, this package needs %d",
                     gs_abi_version(), GS_ABI_VERSION);
        return -1;
    }
    if (GS_PY_CHANGED(imports, 1) > 1) {
        PyErr_SetString(PyExc_ImportError,
                        "gpustream can be imported only once per process: not by a second interpreter, nor again after "
                        "it was removed from sys.modules");
        return -1;
    }
    return 0;
}

/* The types live until the process ends; the module gets a reference of its own. */
static int add_type(PyObject *module, const char *name, PyTypeObject *type) {
    return PyModule_AddObjectRef(module, name, (PyObject *)type);
}

/* The classes of gpustream.generic are in a module of their own, as both pairs have the same names. */
static int add_generic(PyObject *module) {
    PyObject *generic = PyImport_AddModule("gpustream._core.generic"); /* borrowed from sys.modules */
    if (!generic || add_type(generic, "Stream", gs_py_generic_stream_type) < 0 ||
        add_type(generic, "Event", gs_py_generic_event_type) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "generic", generic);
}

int gs_py_fill_module(PyObject *module) {
    if (gs_py_make_stream_types() < 0 || gs_py_make_event_types() < 0 || gs_py_make_foreign_stream_type() < 0 ||
        gs_py_make_stream_context_type() < 0 || gs_py_make_device_type() < 0 || gs_py_make_graph_types() < 0 ||
        gs_py_make_buffer_type() < 0)
        return -1;
    if (add_generic(module) < 0 || add_type(module, "Device", gs_py_device_type) < 0 ||
        add_type(module, "Stream", gs_py_stream_type) < 0 || add_type(module, "Event", gs_py_event_type) < 0 ||
        add_type(module, "ForeignStream", gs_py_foreign_stream_type) < 0 ||
        add_type(module, "StreamContext", gs_py_stream_context_type) < 0 ||
        add_type(module, "GraphExec", gs_py_graph_exec_type) < 0 ||
        add_type(module, "CUDAGraph", gs_py_cuda_graph_type) < 0 || add_type(module, "Buffer", gs_py_buffer_type) < 0)
        return -1;
    if (gs_py_add_device_guards(module) < 0 || gs_py_read_gil_setting(module) < 0 || gs_py_add_c_api(module) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}

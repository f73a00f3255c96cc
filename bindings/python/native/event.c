/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "convert.h"
#include "docs.h"
#include "errors.h"
#include "event_rules.h"
#include "gil.h"
#include "module.h"
#include "objects.h"
#include "types.h"
#include "waiting.h"

static gs_py_signature record_parameters = GS_PY_ONE_OPTIONAL("record", "stream");
static gs_py_signature wait_parameters = GS_PY_ONE_OPTIONAL("wait", "stream");
static gs_py_signature elapsed_parameters = GS_PY_ONE_REQUIRED("elapsed_time", "end_event");

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

/* The object gets the event that is asked for, in place of what it had. */
static int take(PyObject *self, const gs_py_event_request *request) {
    gs_event_t event;
    gs_status_t status = GS_OK;
    if (gs_py_check(gs_event_create(request->flags, &event)) < 0) return -1;
    const gs_py_had had = gs_py_put(self, event, request->own);
    if (had.own) GS_PY_DRIVER(status = gs_event_destroy(had.handle));
    return gs_py_check(status);
}

static int fill(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_event_request request;
    return gs_py_event_request_from_tuple(Py_TYPE(self), tuple, dict, &request) < 0 ? -1 : take(self, &request);
}

static int event_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_object *object = gs_py_object_of(self);
    gs_py_event_request request;
    if (!gs_py_event(self)) return fill(self, tuple, dict);
    if (!object->provisional) return 0; /* __new__ has done it */
    gs_event_t before = gs_py_event(self);
    const int own = gs_py_own(self);
    gs_event_info_t info = {.struct_size = sizeof info};
    if (gs_py_event_request_from_tuple(Py_TYPE(self), tuple, dict, &request) < 0) return -1;
    object->provisional = 0;
    if (own == request.own && gs_event_get_info(before, &info) == GS_OK && info.flags == request.flags) return 0;
    return take(self, &request);
}

static PyObject *event_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    return gs_py_new_object(type, type->tp_new != event_new, type->tp_init != event_init, fill, tuple, dict);
}

/* What gpustream.Event(...) calls, without a tuple, a dict and two slots in between. */
static PyObject *event_vectorcall(PyObject *callable, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    PyTypeObject *type = (PyTypeObject *)callable;
    gs_py_event_request request = {0, GS_PY_OWNED};
    const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (GS_PY_UNLIKELY(count != 0 || names) && gs_py_event_request_from(arguments, count, names, &request) < 0)
        return NULL;
    gs_event_t event;
    if (gs_py_check(gs_event_create(request.flags, &event)) < 0) return NULL;
    return gs_py_wrap_event(type, event, request.own);
}

static void event_dealloc(PyObject *self) {
    gs_py_object *object = gs_py_object_of(self);
    if (GS_PY_UNLIKELY(object->weak_references != NULL)) PyObject_ClearWeakRefs(self);
    if (object->own && object->handle) {
        gs_event_t event = gs_py_event(self);
        gs_status_t status;
        GS_PY_DRIVER(status = gs_event_destroy(event));
        if (GS_PY_UNLIKELY(status != GS_OK)) gs_py_report_unraisable(status);
    }
    gs_py_free_object(self);
}

static PyObject *event_close(PyObject *self, PyObject *unused) {
    (void)unused;
    const gs_py_had had = gs_py_put(self, NULL, GS_PY_BORROWED);
    if (!had.handle || !had.own) Py_RETURN_NONE;
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_destroy(had.handle));
    return gs_py_none_or_fail(status);
}

/* ---- methods ---------------------------------------------------------------------------------------------------- */

/* An optional stream: the current one if it is None or left out. */
static int optional_stream(gs_py_signature *signature, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                           gs_stream_t *out, PyObject **out_owner) {
    PyObject *given = NULL;
    *out_owner = NULL;
    if (GS_PY_LIKELY(count == 1 && !names))
        given = arguments[0];
    else if ((count != 0 || names) && gs_py_bind(signature, arguments, count, names, &given) < 0)
        return -1;
    if (GS_PY_LIKELY(given && gs_py_is_stream(given))) {
        *out = gs_py_stream(given);
        return 0;
    }
    if (!given || given == Py_None) {
        *out = GS_STREAM_CURRENT;
        return gs_py_start();
    }
    return gs_py_stream_from_other(given, signature->names[0], out, out_owner);
}

static PyObject *event_record(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    gs_stream_t stream;
    PyObject *owner;
    if (optional_stream(&record_parameters, arguments, count, names, &stream, &owner) < 0) return NULL;
    if (gs_py_may_record(self, &stream) < 0) {
        Py_XDECREF(owner);
        return NULL;
    }
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_record(event, stream));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

static PyObject *event_wait(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    gs_stream_t stream;
    PyObject *owner;
    if (optional_stream(&wait_parameters, arguments, count, names, &stream, &owner) < 0) return NULL;
    if (GS_PY_UNLIKELY(stream == GS_STREAM_CURRENT) && gs_py_resolve_current(self, &stream) < 0) {
        Py_XDECREF(owner);
        return NULL;
    }
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_wait(event, stream));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

static PyObject *event_elapsed_time(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *given;
    gs_event_t end;
    double milliseconds;
    gs_status_t status;
    if (gs_py_bind_one(&elapsed_parameters, arguments, count, names, &given) < 0) return NULL;
    if (gs_py_event_from(given, "elapsed_time", "end_event", &end) < 0) return NULL;
    gs_event_t start = gs_py_event(self);
    GS_PY_DRIVER(status = gs_event_elapsed_ms(start, end, &milliseconds));
    if (GS_PY_LIKELY(status == GS_OK)) return PyFloat_FromDouble(milliseconds);
    gs_py_fail_to_elapse(self, given, status);
    return NULL;
}

static PyObject *event_query(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    int32_t done;
    GS_PY_DRIVER(status = gs_event_query(event, &done));
    return gs_py_bool_or_fail(status, done);
}

static uintptr_t handle_of(PyObject *self) { return (uintptr_t)gs_py_event(self); }
static gs_status_t wait_for(uintptr_t event, int64_t timeout_ns) {
    return timeout_ns < 0 ? gs_event_synchronize((gs_event_t)event)
                          : gs_event_synchronize_for((gs_event_t)event, timeout_ns);
}
static int is_spun_for(uintptr_t event) {
    gs_event_info_t info = {.struct_size = sizeof info};
    if (gs_event_get_info((gs_event_t)event, &info) != GS_OK || (info.flags & GS_EVENT_BLOCKING)) return 0;
    return gs_py_spins(info.device);
}
static const gs_py_wait_kind kind = {wait_for, handle_of, is_spun_for};

/* An event whose work is done is only asked, as giving the GIL up costs more. A failure is left to the call below. */
static int is_done(PyObject *self) {
    gs_event_t event = gs_py_event(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_event_synchronize_for(event, 0));
    return status == GS_OK;
}

static PyObject *event_synchronize(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    int64_t timeout_ns;
    uint64_t id = 0;
    if (gs_py_only_timeout(arguments, count, names, &timeout_ns) < 0) return NULL;
    if (GS_PY_LIKELY(GS_PY_LOAD(gs_py_pending_callbacks) == 0 && gs_py_sync_mode() == GS_SYNC_DEBUG_DEFAULT) &&
        is_done(self))
        Py_RETURN_NONE;
    /* Before the first record the wait returns at once, so it is neither forbidden nor warned of. */
    const gs_event_t event = gs_py_event(self);
    if (gs_event_id(event, &id) == GS_OK && id == 0) return gs_py_none_or_fail(gs_event_synchronize(event));
    if (gs_py_warn_of_sync(0) < 0) return NULL;
    return gs_py_wait(&kind, self, timeout_ns);
}

/* The reference belongs to the new object; the owner of the handle keeps its own. */
static PyObject *event_from_handle(PyObject *type, PyObject *handle) {
    uint64_t number;
    if (gs_py_uint64("from_handle", "handle", handle, &number) < 0) return NULL;
    gs_event_t event = (gs_event_t)(uintptr_t)number;
    if (gs_py_check(gs_event_retain(event)) < 0) return NULL;
    return gs_py_wrap_event((PyTypeObject *)type, event, GS_PY_OWNED);
}

/* ---- the classes ------------------------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"record", GS_PY_FAST(event_record), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_record},
    {"wait", GS_PY_FAST(event_wait), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_wait},
    {"elapsed_time", GS_PY_FAST(event_elapsed_time), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_elapsed_time},
    {"query", event_query, METH_NOARGS, gs_py_doc_event_query},
    {"synchronize", GS_PY_FAST(event_synchronize), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_event_synchronize},
    {"close", event_close, METH_NOARGS, gs_py_doc_event_close},
    {"from_handle", event_from_handle, METH_O | METH_CLASS, gs_py_doc_event_from_handle},
    {NULL, NULL, 0, NULL}};

static PyType_Slot generic_slots[] = {{Py_tp_new, (void *)event_new},
                                      {Py_tp_init, (void *)event_init},
                                      {Py_tp_dealloc, (void *)event_dealloc},
                                      {Py_tp_methods, methods},
                                      {Py_tp_members, gs_py_object_members},
                                      {Py_tp_getset, gs_py_generic_event_properties},
                                      {0, NULL}};
/* The methods once more: the interpreter calls a method without detours only where the object's own class has it. */
static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)event_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, gs_py_event_properties},
                              {0, NULL}};

int gs_py_make_event_types(void) {
    gs_py_generic_event_type =
        gs_py_make_type("gpustream.generic.Event", sizeof(gs_py_object), 0, NULL, generic_slots, NULL);
    if (!gs_py_generic_event_type) return -1;
    gs_py_event_type =
        gs_py_make_type("gpustream.Event", sizeof(gs_py_object), 0, gs_py_generic_event_type, slots, event_vectorcall);
    return gs_py_event_type ? 0 : -1;
}

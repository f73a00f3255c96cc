/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "convert.h"
#include "docs.h"
#include "errors.h"
#include "event_rules.h"
#include "gil.h"
#include "hooks.h"
#include "known_streams.h"
#include "module.h"
#include "objects.h"
#include "scopes.h"
#include "stream_make.h"
#include "types.h"
#include "waiting.h"

static gs_py_signature record_event_parameters = GS_PY_ONE_OPTIONAL("record_event", "event");
static gs_py_signature wait_event_parameters = GS_PY_ONE_REQUIRED("wait_event", "event");
static gs_py_signature wait_stream_parameters = GS_PY_ONE_REQUIRED("wait_stream", "stream");

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

/* Releases one reference. */
static gs_status_t destroy(gs_stream_t stream) {
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_destroy(stream));
    return status;
}

/* The object gets the stream that is asked for, in place of what it had. */
static int take(PyObject *self, const gs_py_stream_request *request) {
    gs_stream_t stream;
    if (gs_py_stream_make(request, &stream) < 0) return -1;
    const gs_py_had had = gs_py_put(self, stream, GS_PY_OWNED);
    return had.own ? gs_py_check(destroy(had.handle)) : 0;
}

static int fill(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_stream_request request;
    return gs_py_stream_request_from_tuple(Py_TYPE(self), tuple, dict, &request) < 0 ? -1 : take(self, &request);
}

static int stream_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    gs_py_object *object = gs_py_object_of(self);
    gs_py_stream_request request;
    if (!gs_py_stream(self)) return fill(self, tuple, dict);
    if (!object->provisional) return 0; /* __new__ has done it */
    if (gs_py_stream_request_from_tuple(Py_TYPE(self), tuple, dict, &request) < 0) return -1;
    object->provisional = 0;
    return gs_py_stream_suits(gs_py_stream(self), &request) ? 0 : take(self, &request);
}

static PyObject *stream_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    return gs_py_new_object(type, type->tp_new != stream_new, type->tp_init != stream_init, fill, tuple, dict);
}

/* What gpustream.Stream(...) calls. */
static PyObject *stream_vectorcall(PyObject *callable, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    gs_py_stream_request request;
    gs_stream_t stream;
    if (gs_py_stream_request_from(arguments, PyVectorcall_NARGS(nargsf), names, &request) < 0) return NULL;
    if (gs_py_stream_make(&request, &stream) < 0) return NULL;
    return gs_py_wrap_stream((PyTypeObject *)callable, stream, GS_PY_OWNED);
}

void gs_py_stream_dealloc(PyObject *self) {
    gs_py_object *object = gs_py_object_of(self);
    gs_py_unknow(self, object->handle); /* before any other code runs, which could get it back by current_stream() */
    if (GS_PY_UNLIKELY(object->weak_references != NULL)) PyObject_ClearWeakRefs(self);
    if (object->own && object->handle) {
        const gs_status_t status = destroy(gs_py_stream(self));
        if (GS_PY_UNLIKELY(status != GS_OK)) gs_py_report_unraisable(status);
    }
    gs_py_free_object(self);
}

PyObject *gs_py_stream_close(PyObject *self, PyObject *unused) {
    (void)unused;
    const gs_py_had had = gs_py_put(self, NULL, GS_PY_BORROWED);
    if (had.own == GS_PY_KEPT) Py_RETURN_NONE; /* others have the same object */
    gs_py_unknow(self, had.handle);
    if (!had.handle || !had.own) Py_RETURN_NONE;
    return gs_py_none_or_fail(destroy(had.handle));
}

/* ---- equality and hash: the same driver stream of the same device, however the objects were made. Neither marks the
   raw handle as given out. ---------------------------------------------------------------------------------------- */

static PyObject *stream_richcompare(PyObject *self, PyObject *other, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !gs_py_is_stream(other)) Py_RETURN_NOTIMPLEMENTED;
    int32_t equal = self == other;
    /* A closed stream is like no other: a list that has one can still be searched. */
    if (!equal && gs_py_stream(self) && gs_py_stream(other) &&
        gs_py_check(gs_stream_equal(gs_py_stream(self), gs_py_stream(other), &equal)) < 0)
        return NULL;
    return PyBool_FromLong((operation == Py_EQ) == equal);
}

static Py_hash_t stream_hash(PyObject *self) {
    gs_stream_info_t info = {.struct_size = sizeof info};
    if (gs_py_check(gs_stream_get_info(gs_py_stream(self), &info)) < 0) return -1;
    return (Py_hash_t)info.hash == -1 ? -2 : (Py_hash_t)info.hash;
}

/* ---- methods ---------------------------------------------------------------------------------------------------- */

/* A new event without timing, of the class that goes with the stream's. */
static PyObject *event_beside(PyObject *stream) {
    gs_event_t event;
    if (gs_py_check(gs_event_create(0, &event)) < 0) return NULL;
    const int generic = !PyType_IsSubtype(Py_TYPE(stream), gs_py_stream_type);
    return gs_py_wrap_event(generic ? gs_py_generic_event_type : gs_py_event_type, event, GS_PY_OWNED);
}

static PyObject *stream_record_event(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *event = NULL;
    gs_event_t handle;
    if ((count != 0 || names) && gs_py_bind_one(&record_event_parameters, arguments, count, names, &event) < 0)
        return NULL;
    if (!event || event == Py_None) {
        event = event_beside(self);
        if (!event) return NULL;
    } else if (!gs_py_is_event(event)) {
        return gs_py_wrong_type("record_event", "event", "Event or None", event), NULL;
    } else {
        Py_INCREF(event);
    }
    gs_stream_t stream = gs_py_stream(self);
    if (gs_py_may_record(event, &stream) < 0) {
        Py_DECREF(event);
        return NULL;
    }
    handle = gs_py_event(event);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_record_event(stream, handle));
    if (GS_PY_LIKELY(status == GS_OK)) return event;
    gs_py_fail(status);
    Py_DECREF(event);
    return NULL;
}

/* An event of another library. Its wrap may end as soon as the wait is submitted. */
static PyObject *wait_other_event(PyObject *self, PyObject *given) {
    gs_stream_t stream = gs_py_stream(self);
    gs_device_t device;
    if (gs_py_check(gs_stream_device(stream, &device)) < 0) return NULL;
    PyObject *event = gs_py_call("interop", "event_hook", "(Oi)", given, (int)device);
    if (!event) return NULL;
    if (!gs_py_is_event(event)) {
        Py_DECREF(event);
        gs_py_not_an_event(given, "wait_event", "event");
        return NULL;
    }
    gs_event_t handle = gs_py_event(event);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_wait_event(stream, handle));
    Py_DECREF(event);
    return gs_py_none_or_fail(status);
}

static PyObject *stream_wait_event(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *given;
    if (gs_py_bind_one(&wait_event_parameters, arguments, count, names, &given) < 0) return NULL;
    if (GS_PY_UNLIKELY(!gs_py_is_event(given))) return wait_other_event(self, given);
    gs_event_t event = gs_py_event(given);
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_wait_event(stream, event));
    return gs_py_none_or_fail(status);
}

static PyObject *stream_wait_stream(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *given, *owner;
    gs_stream_t other;
    if (gs_py_bind_one(&wait_stream_parameters, arguments, count, names, &given) < 0) return NULL;
    if (gs_py_stream_from(given, "stream", &other, &owner) < 0) return NULL;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_wait_stream(stream, other));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

static PyObject *stream_query(PyObject *self, PyObject *unused) {
    (void)unused;
    gs_stream_t stream = gs_py_stream(self);
    gs_status_t status;
    int32_t done;
    GS_PY_DRIVER(status = gs_stream_query(stream, &done));
    return gs_py_bool_or_fail(status, done);
}

static uintptr_t handle_of(PyObject *self) { return (uintptr_t)gs_py_stream(self); }
static gs_status_t wait_for(uintptr_t stream, int64_t timeout_ns) {
    return timeout_ns < 0 ? gs_stream_synchronize((gs_stream_t)stream)
                          : gs_stream_synchronize_for((gs_stream_t)stream, timeout_ns);
}
static int is_spun_for(uintptr_t stream) {
    gs_device_t device;
    return gs_stream_device((gs_stream_t)stream, &device) == GS_OK ? gs_py_spins(device) : 0;
}
static const gs_py_wait_kind kind = {wait_for, handle_of, is_spun_for};

static PyObject *stream_synchronize(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    int64_t timeout_ns;
    if (gs_py_only_timeout(arguments, count, names, &timeout_ns) < 0) return NULL;
    if (gs_py_warn_of_sync(1) < 0) return NULL;
    return gs_py_wait(&kind, self, timeout_ns);
}

/* ---- the classes ------------------------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"record_event", GS_PY_FAST(stream_record_event), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_record_event},
    {"wait_event", GS_PY_FAST(stream_wait_event), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_wait_event},
    {"wait_stream", GS_PY_FAST(stream_wait_stream), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_wait_stream},
    {"query", stream_query, METH_NOARGS, gs_py_doc_stream_query},
    {"synchronize", GS_PY_FAST(stream_synchronize), METH_FASTCALL | METH_KEYWORDS, gs_py_doc_stream_synchronize},
    {"close", gs_py_stream_close, METH_NOARGS, gs_py_doc_stream_close},
    {"is_capturing", gs_py_stream_is_capturing, METH_NOARGS, gs_py_doc_is_capturing},
    {"__cuda_stream__", gs_py_stream_protocol, METH_NOARGS, gs_py_doc_cuda_stream_protocol},
    {"__enter__", gs_py_enter, METH_NOARGS, gs_py_doc_enter},
    {"__exit__", GS_PY_FAST(gs_py_exit), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

static PyType_Slot generic_slots[] = {{Py_tp_new, (void *)stream_new},
                                      {Py_tp_init, (void *)stream_init},
                                      {Py_tp_dealloc, (void *)gs_py_stream_dealloc},
                                      {Py_tp_richcompare, (void *)stream_richcompare},
                                      {Py_tp_hash, (void *)stream_hash},
                                      {Py_tp_methods, methods},
                                      {Py_tp_members, gs_py_object_members},
                                      {Py_tp_getset, gs_py_generic_stream_properties},
                                      {0, NULL}};
/* The methods once more: the interpreter calls a method without detours only where the object's own class has it. */
static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)gs_py_stream_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, gs_py_stream_properties},
                              {0, NULL}};

int gs_py_make_stream_types(void) {
    gs_py_generic_stream_type =
        gs_py_make_type("gpustream.generic.Stream", sizeof(gs_py_object), 0, NULL, generic_slots, NULL);
    if (!gs_py_generic_stream_type || gs_py_replace_scope_methods(gs_py_generic_stream_type, &gs_py_stream_scope) < 0)
        return -1;
    gs_py_stream_type = gs_py_make_type("gpustream.Stream", sizeof(gs_py_object), 0, gs_py_generic_stream_type, slots,
                                        stream_vectorcall);
    if (!gs_py_stream_type) return -1;
    return gs_py_replace_scope_methods(gs_py_stream_type, &gs_py_stream_scope);
}

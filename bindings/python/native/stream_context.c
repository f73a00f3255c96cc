/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "foreign_stream.h"
#include "module.h"
#include "objects.h"
#include "scopes.h"
#include "spares.h"
#include "types.h"

PyTypeObject *gs_py_stream_context_type;

static gs_py_spares spare_contexts; /* of the class itself */

typedef struct stream_context {
    PyObject ob_base;
    PyObject *stream; /* of this package, or None */
    int tracked;      /* whether the collector knows it: asking costs a call */
} stream_context;

static gs_py_signature stream_parameters = GS_PY_ONE_REQUIRED("stream", "stream");
static gs_py_signature context_parameters = GS_PY_ONE_REQUIRED("StreamContext", "stream");

/* New reference: None, a stream of this package, or the wrapper of another library's. */
static PyObject *stream_from(PyObject *given) {
    if (GS_PY_LIKELY(given == Py_None || gs_py_is_stream(given))) return Py_INCREF(given), given;
    return gs_py_wrapper_of(given, "stream");
}

/* The collector tracks a context only if its stream is of a subclass, which may refer to other objects. */
static PyObject *make(PyObject *given) {
    PyObject *stream = stream_from(given);
    if (!stream) return NULL;
    stream_context *context = (stream_context *)gs_py_spares_take(&spare_contexts);
    if (GS_PY_UNLIKELY(!context)) context = PyObject_GC_New(stream_context, gs_py_stream_context_type);
    if (!context) return Py_DECREF(stream), NULL;
    context->stream = stream;
    context->tracked = stream != Py_None && Py_TYPE(stream) != gs_py_stream_type;
    if (GS_PY_UNLIKELY(context->tracked)) PyObject_GC_Track(context);
    return (PyObject *)context;
}

static PyObject *context_vectorcall(PyObject *type, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    (void)type; /* derived classes do not inherit it */
    PyObject *given;
    if (gs_py_bind_one(&context_parameters, arguments, PyVectorcall_NARGS(nargsf), names, &given) < 0) return NULL;
    return make(given);
}

PyObject *gs_py_stream_function(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    (void)module;
    PyObject *given;
    return gs_py_bind_one(&stream_parameters, arguments, count, names, &given) < 0 ? NULL : make(given);
}

/* The arguments are __init__'s, which a derived class may replace. */
static PyObject *context_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    (void)tuple, (void)dict;
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) return NULL;
    Py_INCREF(Py_None);
    ((stream_context *)self)->stream = Py_None;
    ((stream_context *)self)->tracked = 1; /* by tp_alloc */
    return self;
}

static int context_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    PyObject *given;
    if (gs_py_bind_tuple(&context_parameters, tuple, dict, &given) < 0) return -1;
    PyObject *stream = stream_from(given);
    if (!stream) return -1;
    PyObject *before;
    GS_PY_OBJECT_LOCK(self);
    before = ((stream_context *)self)->stream;
    GS_PY_STORE(((stream_context *)self)->stream, stream);
    GS_PY_OBJECT_UNLOCK();
    Py_DECREF(before);
    return 0;
}

static void context_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject *stream = ((stream_context *)self)->stream;
    if (GS_PY_UNLIKELY(((stream_context *)self)->tracked)) PyObject_GC_UnTrack(self);
    if (type != gs_py_stream_context_type || !gs_py_spares_give(&spare_contexts, self)) {
        type->tp_free(self);
        Py_DECREF(type);
    }
    Py_DECREF(stream); /* last: what it runs may make another context */
}

static int context_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((stream_context *)self)->stream);
    return 0;
}

/* The stream, which with the GIL no other thread takes away during a call. */
static PyObject *hold_stream(PyObject *self) {
    PyObject *stream;
    GS_PY_OBJECT_LOCK(self);
    stream = ((stream_context *)self)->stream;
#ifdef Py_GIL_DISABLED
    Py_INCREF(stream);
#endif
    GS_PY_OBJECT_UNLOCK();
    return stream;
}

static void let_go_of(PyObject *stream) {
#ifdef Py_GIL_DISABLED
    Py_DECREF(stream);
#else
    (void)stream;
#endif
}

static PyObject *context_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *stream = hold_stream(self);
    const int result = stream == Py_None ? 0 : gs_py_enter_scope(self, stream);
    let_go_of(stream);
    if (result < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, uint64_t token) {
    if (GS_PY_LOAD(((stream_context *)self)->stream) == Py_None) Py_RETURN_NONE;
    return gs_py_scope_leave(token ? token : gs_py_scope_of(self));
}

static PyObject *context_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)arguments, (void)count;
    return leave(self, 0);
}

static const gs_py_scope_methods scope_methods = {context_enter, leave, offsetof(stream_context, tracked)};

static const char doc[] =
    "StreamContext(stream)\n--\n\n"
    "with StreamContext(s): makes a stream and its device current on this thread until the block ends.\n\n"
    "s: a stream, also another library's; None: no effect. One object may be entered again, also on other threads.\n"
    "Leaving while a scope inside is open raises gpustream.ScopeError and changes nothing.";

static PyMemberDef members[] = {
    {"stream", T_OBJECT_EX, offsetof(stream_context, stream), READONLY, "The stream, or None."}, {NULL, 0, 0, 0, NULL}};
static PyMethodDef methods[] = {{"__enter__", context_enter, METH_NOARGS, NULL},
                                {"__exit__", GS_PY_FAST(context_exit), METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, (void *)doc},
                              {Py_tp_new, (void *)context_new},
                              {Py_tp_init, (void *)context_init},
                              {Py_tp_dealloc, (void *)context_dealloc},
                              {Py_tp_traverse, (void *)context_traverse},
                              {Py_tp_members, members},
                              {Py_tp_methods, methods},
                              {0, NULL}};
int gs_py_make_stream_context_type(void) {
    gs_py_stream_context_type = gs_py_make_type("gpustream.StreamContext", sizeof(stream_context), Py_TPFLAGS_HAVE_GC,
                                                NULL, slots, context_vectorcall);
    if (!gs_py_stream_context_type) return -1;
    return gs_py_replace_scope_methods(gs_py_stream_context_type, &scope_methods);
}

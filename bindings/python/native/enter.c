/* SPDX-License-Identifier: Apache-2.0 */
#include "scopes.h"

#include "objects.h"
#include "spares.h"
#include "threads.h"

#include <pthread.h>

#ifdef Py_GIL_DISABLED
/* What a bound __exit__ shares with the thread that made it, which may each end first. */
typedef struct pair {
    int references;
    PyObject *object; /* compared, never used */
    uint64_t token;
} pair;
#endif

typedef struct bound_method {
    PyObject ob_base;
    vectorcallfunc call;
    const gs_py_scope_methods *methods;
    PyObject *object;
    int tracked; /* by the collector */
#ifdef Py_GIL_DISABLED
    pair *pair; /* of __exit__, else NULL */
#else
    uint64_t token; /* of __exit__: the scope of its block; 0: not entered, or left */
#endif
} bound_method;

/* In place of a class's method. */
typedef struct descriptor {
    PyObject ob_base;
    PyObject *plain; /* what the class had */
    const gs_py_scope_methods *methods;
    vectorcallfunc call;
    int is_exit;
} descriptor;

static gs_py_spares spare_methods;

/* ---- a bound __exit__ and the scope of its block ----------------------------------------------------------------- */

#ifdef Py_GIL_DISABLED

static __thread pair *awaiting; /* of the thread's newest bound __exit__, whose block is about to be entered */

static void drop(pair *one) {
    if (one && GS_PY_CHANGED(one->references, -1) == 0) PyMem_RawFree(one);
}

/* 0, or -1 with MemoryError set. */
static int await_block(bound_method *bound) {
    pair *made = PyMem_RawMalloc(sizeof *made);
    if (!made) return PyErr_NoMemory(), -1;
    *made = (pair){2, bound->object, 0};
    drop(awaiting);
    bound->pair = awaiting = made;
    return 0;
}

static void block_entered(PyObject *object, uint64_t token) {
    if (!awaiting || awaiting->object != object) return;
    GS_PY_STORE(awaiting->token, token);
    drop(awaiting);
    awaiting = NULL;
}

static void begin(bound_method *bound) { bound->pair = NULL; }
static void forget(bound_method *bound) { drop(bound->pair); }
static uint64_t token_of(const bound_method *bound) { return bound->pair ? GS_PY_LOAD(bound->pair->token) : 0; }
static void left(bound_method *bound) {
    if (bound->pair) GS_PY_STORE(bound->pair->token, 0);
}

#else

/* The newest bound __exit__, whose block is about to be entered on the same thread. Between the two no other thread has
   the GIL. Where one had it, as both were asked for by their names, the object's innermost scope serves. */
static bound_method *awaiting;
static pthread_t awaiting_thread;

static inline int await_block(bound_method *bound) {
    awaiting = bound;
    awaiting_thread = pthread_self();
    return 0;
}

static inline void block_entered(PyObject *object, uint64_t token) {
    if (GS_PY_LIKELY(awaiting && awaiting->object == object) && pthread_equal(awaiting_thread, pthread_self())) {
        awaiting->token = token;
        awaiting = NULL;
    }
}

static inline void begin(bound_method *bound) { bound->token = 0; }
static inline void forget(const bound_method *bound) {
    if (awaiting == bound) awaiting = NULL;
}
static inline uint64_t token_of(const bound_method *bound) { return bound->token; }
static inline void left(bound_method *bound) { bound->token = 0; }

#endif

/* ---- the methods by their names --------------------------------------------------------------------------------- */

int gs_py_enter_scope(PyObject *object, PyObject *stream) {
    uint64_t token;
    if (gs_py_scope_enter(object, stream, &token) < 0) return -1;
    block_entered(object, token);
    return 0;
}

PyObject *gs_py_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    if (gs_py_enter_scope(self, self) < 0) return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *leave(PyObject *object, uint64_t token) {
    return gs_py_scope_leave(token ? token : gs_py_scope_of(object));
}
const gs_py_scope_methods gs_py_stream_scope = {gs_py_enter, leave, 0};

PyObject *gs_py_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)arguments, (void)count;
    return leave(self, 0);
}

/* ---- bound ------------------------------------------------------------------------------------------------------ */

static PyObject *call_enter(PyObject *callable, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    (void)arguments;
    if (PyVectorcall_NARGS(nargsf) != 0 || (names && PyTuple_GET_SIZE(names) != 0))
        return PyErr_Format(PyExc_TypeError, "__enter__() takes no arguments"), NULL;
    const bound_method *bound = (const bound_method *)callable;
    return bound->methods->enter(bound->object, NULL);
}

static PyObject *call_exit(PyObject *callable, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    (void)arguments, (void)nargsf;
    bound_method *bound = (bound_method *)callable;
    if (names && PyTuple_GET_SIZE(names) != 0)
        return PyErr_Format(PyExc_TypeError, "__exit__() takes no keyword arguments"), NULL;
    PyObject *result = bound->methods->leave(bound->object, token_of(bound));
    if (GS_PY_LIKELY(result != NULL)) left(bound);
    return result;
}

static void bound_dealloc(PyObject *self) {
    bound_method *bound = (bound_method *)self;
    PyObject *object = bound->object;
    if (GS_PY_UNLIKELY(bound->tracked)) PyObject_GC_UnTrack(self);
    forget(bound);
    bound->object = NULL;
    if (!gs_py_spares_give(&spare_methods, self)) PyObject_GC_Del(self);
    Py_DECREF(object);
}

static int bound_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((bound_method *)self)->object);
    return 0;
}

static PyMemberDef bound_members[] = {{"__self__", T_OBJECT_EX, offsetof(bound_method, object), READONLY, NULL},
                                      {NULL, 0, 0, 0, NULL}};

static PyTypeObject bound_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gpustream._core.bound_method",
    .tp_basicsize = sizeof(bound_method),
    .tp_dealloc = bound_dealloc,
    .tp_traverse = bound_traverse,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(bound_method, call),
    .tp_members = bound_members,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

static int is_tracked(const gs_py_scope_methods *methods, PyObject *object) {
    if (methods->tracked) return *(const int *)((const char *)object + methods->tracked);
    return PyType_IS_GC(Py_TYPE(object)) && PyObject_GC_IsTracked(object);
}

static PyObject *bind(PyObject *self, PyObject *object, PyObject *type) {
    (void)type;
    const descriptor *method = (const descriptor *)self;
    if (!object) return Py_INCREF(method->plain), method->plain;
    bound_method *bound = (bound_method *)gs_py_spares_take(&spare_methods);
    if (GS_PY_UNLIKELY(!bound)) bound = PyObject_GC_New(bound_method, &bound_type);
    if (!bound) return NULL;
    Py_INCREF(object);
    bound->call = method->call;
    bound->methods = method->methods;
    bound->object = object;
    bound->tracked = is_tracked(method->methods, object);
    if (GS_PY_UNLIKELY(bound->tracked)) PyObject_GC_Track(bound);
    begin(bound);
    if (method->is_exit && GS_PY_UNLIKELY(await_block(bound) < 0)) return Py_DECREF(bound), NULL;
    return (PyObject *)bound;
}

static PyTypeObject descriptor_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gpustream._core.scope_method",
    .tp_basicsize = sizeof(descriptor),
    .tp_descr_get = bind,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

static int replace(PyTypeObject *type, const char *name, const gs_py_scope_methods *methods, vectorcallfunc call,
                   int is_exit) {
    PyObject *plain = PyDict_GetItemString(type->tp_dict, name);
    if (!plain) return PyErr_Format(PyExc_SystemError, "no method %s", name), -1;
    descriptor *method = PyObject_New(descriptor, &descriptor_type);
    if (!method) return -1;
    Py_INCREF(plain);
    method->plain = plain;
    method->methods = methods;
    method->call = call;
    method->is_exit = is_exit;
    const int result = PyDict_SetItemString(type->tp_dict, name, (PyObject *)method);
    Py_DECREF(method);
    PyType_Modified(type);
    return result;
}

int gs_py_replace_scope_methods(PyTypeObject *type, const gs_py_scope_methods *methods) {
    if (PyType_Ready(&bound_type) < 0 || PyType_Ready(&descriptor_type) < 0) return -1;
    if (replace(type, "__enter__", methods, call_enter, 0) < 0) return -1;
    return replace(type, "__exit__", methods, call_exit, 1);
}

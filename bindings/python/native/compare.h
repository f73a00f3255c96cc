// SPDX-License-Identifier: Apache-2.0
// Equality and hash of streams: the same driver stream of the same device, however the objects were made. Neither marks
// the raw handle as given out. Events keep Python's identity.

static PyObject *gs_py_stream_richcompare(PyObject *self, PyObject *other, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !gs_py_is_stream(other)) Py_RETURN_NOTIMPLEMENTED;
    int32_t equal = self == other;
    if (!equal) {
        const gs_status_t status = gs_stream_equal(gs_py_stream(self), gs_py_stream(other), &equal);
        if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), NULL;
    }
    return PyBool_FromLong((operation == Py_EQ) == equal);
}

static Py_hash_t gs_py_stream_hash(PyObject *self) {
    uint64_t hash;
    const gs_status_t status = gs_stream_hash(gs_py_stream(self), &hash);
    if (SWIGPY_UNLIKELY(status != GS_OK)) return gs_py_fail(status), -1;
    return (Py_hash_t)hash == -1 ? -2 : (Py_hash_t)hash;
}

static PyObject *gs_py_event_richcompare(PyObject *self, PyObject *other, int operation) {
    if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    if (self != other) Py_RETURN_NOTIMPLEMENTED; // object's rule: identity
    return PyBool_FromLong(operation == Py_EQ);
}

static Py_hash_t gs_py_event_hash(PyObject *self) {
    const uintptr_t address = (uintptr_t)self;
    return (Py_hash_t)(address >> 4 | address << (8 * sizeof address - 4));
}

// SPDX-License-Identifier: Apache-2.0
// Structs of the header as Python values: dicts by the names of their fields, tuples, bytes.

static int gs_py_put(PyObject *dict, const char *name, PyObject *value) {
    if (!value) return -1;
    const int result = PyDict_SetItemString(dict, name, value);
    Py_DECREF(value);
    return result;
}

typedef struct gs_py_field {
    const char *name;
    size_t offset;
    char kind; // i int32, u uint32, Q uint64, s text
} gs_py_field;

static PyObject *gs_py_dict(const void *from, const gs_py_field *fields) {
    PyObject *dict = PyDict_New();
    for (; dict && fields->name; ++fields) {
        const char *at = (const char *)from + fields->offset;
        PyObject *value = NULL;
        switch (fields->kind) {
        case 'i': value = PyLong_FromLong(*(const int32_t *)at); break;
        case 'u': value = PyLong_FromUnsignedLong(*(const uint32_t *)at); break;
        case 'Q': value = PyLong_FromUnsignedLongLong(*(const uint64_t *)at); break;
        default: value = PyUnicode_DecodeUTF8(at, (Py_ssize_t)strlen(at), "replace"); break;
        }
        if (gs_py_put(dict, fields->name, value) < 0) Py_CLEAR(dict);
    }
    return dict;
}

#define GS_PY_FIELD(type, field, kind)                                                                                 \
    { #field, offsetof(type, field), kind }

static PyObject *gs_py_error_info(const gs_error_info_t *info) {
#define F(field, kind) GS_PY_FIELD(gs_error_info_t, field, kind)
    static const gs_py_field fields[] = {F(struct_size, 'u'), F(status, 'i'), F(reason, 'i'),   F(backend, 'i'),
                                         F(native_code, 'i'), F(sticky, 'i'), F(function, 's'), F(native_function, 's'),
                                         F(message, 's'),     F(origin, 's'), {NULL, 0, 0}};
#undef F
    return gs_py_dict(info, fields);
}

static PyObject *gs_py_stats(const gs_stats_t *stats) {
#define F(field) GS_PY_FIELD(gs_stats_t, field, 'Q')
    static const gs_py_field fields[] = {F(driver_calls),
                                         F(records),
                                         F(waits),
                                         F(queries),
                                         F(synchronizes),
                                         F(elided_waits),
                                         F(elided_queries),
                                         F(elided_synchronizes),
                                         F(events_created),
                                         F(event_pool_hits),
                                         F(event_pool_misses),
                                         F(streams_created),
                                         F(stream_pool_hits),
                                         F(stream_pool_misses),
                                         F(notifications),
                                         F(reclaim_rounds),
                                         GS_PY_FIELD(gs_stats_t, struct_size, 'u'),
                                         {NULL, 0, 0}};
#undef F
    return gs_py_dict(stats, fields);
}

static PyObject *gs_py_device_info(const gs_device_info_t *info) {
#define I(field) GS_PY_FIELD(gs_device_info_t, field, 'i')
#define Q(field) GS_PY_FIELD(gs_device_info_t, field, 'Q')
    static const gs_py_field fields[] = {GS_PY_FIELD(gs_device_info_t, struct_size, 'u'),
                                         I(ordinal),
                                         I(backend),
                                         I(capability_major),
                                         I(capability_minor),
                                         I(multiprocessor_count),
                                         I(warp_size),
                                         I(max_threads_per_block),
                                         I(max_threads_per_multiprocessor),
                                         I(regs_per_multiprocessor),
                                         I(clock_khz),
                                         I(memory_clock_khz),
                                         I(memory_bus_width_bits),
                                         I(compute_mode),
                                         I(integrated),
                                         I(ecc_enabled),
                                         I(is_mig),
                                         I(has_uuid),
                                         I(has_pci),
                                         I(pci_domain),
                                         I(pci_bus),
                                         I(pci_device),
                                         I(priority_least),
                                         I(priority_greatest),
                                         Q(total_memory_bytes),
                                         Q(l2_cache_bytes),
                                         Q(shared_memory_per_block_bytes),
                                         Q(shared_memory_per_block_optin_bytes),
                                         Q(shared_memory_per_multiprocessor_bytes),
                                         GS_PY_FIELD(gs_device_info_t, name, 's'),
                                         {NULL, 0, 0}};
#undef I
#undef Q
    PyObject *dict = gs_py_dict(info, fields);
    if (dict && gs_py_put(dict, "uuid", PyBytes_FromStringAndSize((const char *)info->uuid, sizeof info->uuid)) < 0)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *gs_py_inventory_entry(const gs_inventory_entry_t *entry) {
#define I(field) GS_PY_FIELD(gs_inventory_entry_t, field, 'i')
    static const gs_py_field fields[] = {GS_PY_FIELD(gs_inventory_entry_t, struct_size, 'u'),
                                         I(status),
                                         I(native_code),
                                         I(nvml_index),
                                         I(ordinal),
                                         I(is_mig),
                                         I(mig_index),
                                         I(mig_enabled),
                                         I(capability_major),
                                         I(capability_minor),
                                         I(has_pci),
                                         I(pci_domain),
                                         I(pci_bus),
                                         I(pci_device),
                                         GS_PY_FIELD(gs_inventory_entry_t, total_memory_bytes, 'Q'),
                                         GS_PY_FIELD(gs_inventory_entry_t, uuid, 's'),
                                         GS_PY_FIELD(gs_inventory_entry_t, name, 's'),
                                         {NULL, 0, 0}};
#undef I
    return gs_py_dict(entry, fields);
}

// Any bytes-like object of 64 bytes.
static int gs_py_ipc_handle(PyObject *from, gs_ipc_handle_t *out) {
    Py_buffer view;
    if (!PyObject_CheckBuffer(from)) return gs_py_wrong_type("from_ipc_handle", "handle", "bytes", from);
    if (PyObject_GetBuffer(from, &view, PyBUF_SIMPLE) < 0) return -1;
    const int right = view.len == (Py_ssize_t)sizeof out->data;
    if (right)
        memcpy(out->data, view.buf, sizeof out->data);
    else
        PyErr_Format(PyExc_ValueError, "from_ipc_handle(): argument 'handle' must have %zu bytes, not %zd",
                     sizeof out->data, view.len);
    PyBuffer_Release(&view);
    return right ? 0 : -1;
}

static int gs_py_triple(PyObject *from, gs_stream_triple_t *out) {
    long long id;
    if (!PyArg_ParseTuple(from, "Lii", &id, &out->device_index, &out->device_type)) return -1;
    out->id = id;
    return 0;
}

// (grid x, y, z, block x, y, z, bytes of shared memory)
static int gs_py_launch_config(PyObject *from, gs_launch_config_t *out) {
    *out = (gs_launch_config_t){.struct_size = sizeof *out};
    return PyArg_ParseTuple(from, "IIIIIII", &out->grid_x, &out->grid_y, &out->grid_z, &out->block_x, &out->block_y,
                            &out->block_z, &out->shared_memory_bytes)
               ? 0
               : -1;
}

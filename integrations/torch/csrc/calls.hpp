// SPDX-License-Identifier: Apache-2.0
// gpustream's calls with PyTorch's types: a failed one throws, and devices are those of the host backend.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>
#include <gpustream.h>

namespace gpustream_torch {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

inline void check(gs_status_t status) {
    if (status == GS_OK) return;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    const bool known = gs_last_error(&error) == GS_OK && error.status == status;
    TORCH_CHECK(false, gs_status_name(status), ": ", known ? error.message : gs_status_message(status));
}

inline gs_device_t number_of(c10::DeviceIndex index) { return gs_device_make(GS_BACKEND_HOST, index); }

// The thread's current device of the host backend: 0 while one of another backend is current.
inline c10::DeviceIndex current_index() {
    gs_device_t device = 0;
    check(gs_current_device(&device));
    gs_backend_t backend = gs_device_backend(device);
    if (backend == GS_BACKEND_DEFAULT) check(gs_default_backend(&backend)); // a plain ordinal
    return backend == GS_BACKEND_HOST ? static_cast<c10::DeviceIndex>(gs_device_ordinal(device)) : c10::DeviceIndex{0};
}

inline c10::Stream to_torch(gs_stream_t stream) {
    gs_stream_triple_t triple{};
    check(gs_stream_pack(stream, &triple));
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(kType, static_cast<c10::DeviceIndex>(triple.device_index)),
                       triple.id);
}

// Borrowed. PyTorch never gives a stream back: those of this package live as long as the process.
inline gs_stream_t to_gpustream(const c10::Stream &stream) {
    const gs_stream_triple_t triple{stream.id(), stream.device_index(), GS_BACKEND_HOST};
    gs_stream_t found = nullptr;
    check(gs_stream_unpack(&triple, &found));
    check(gs_stream_destroy(found));
    return found;
}

inline gs_stream_t current_stream(c10::DeviceIndex index) {
    gs_stream_t stream = nullptr;
    check(gs_current_stream(number_of(index), &stream));
    return stream;
}

} // namespace gpustream_torch

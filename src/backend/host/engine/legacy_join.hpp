// SPDX-License-Identifier: Apache-2.0
// The implicit order of the legacy default stream: its work waits for all earlier work of blocking streams, and their
// later work waits for it (CUDA, "Stream synchronization behavior").
//
// Every submission to the legacy stream or to a blocking stream happens with Device::order held, which makes one order
// of them. Cost is constant per submission on average: a stream enters the device's pending list once per join.
#pragma once

#include "backend/host/engine/result.hpp"
#include "backend/host/engine/virtual_device.hpp"

namespace gs::host {

class LegacyJoin {
public:
    // The record that a submission to this stream of the device has to wait for first, with a reference. One at a
    // time; nullptr: that was the last. The caller holds no stream's lock; it calls confirm() once the wait is
    // queued.
    static Result next_dependency(Device &device, Stream &stream, Record **out) noexcept GS_REQUIRES(device.order);
    static void confirm(Device &device, Stream &stream) noexcept GS_REQUIRES(device.order);
    // Work was submitted and is pending.
    static void submitted(Device &device, Stream &stream) noexcept GS_REQUIRES(device.order);
    // Is a blocking stream of the device busy with work that the legacy stream has not joined? Forgets idle ones.
    static bool pending_work(Device &device) noexcept GS_REQUIRES(device.order);
    static void unlink(Device &device, Stream &stream) noexcept GS_REQUIRES(device.order);

private:
    static Result behind_legacy(Device &device, Stream &stream, Record **out) noexcept GS_REQUIRES(device.order);
    static Result behind_pending(Device &device, Record **out) noexcept GS_REQUIRES(device.order);
};

} // namespace gs::host

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.DeviceCalls;

/** Devices. Calls the methods that SWIG generated. */
final class JniDevices implements DeviceCalls {
    @Override
    public int defaultBackend(long outBackend) {
        return GpustreamJni.gs_default_backend(outBackend);
    }

    @Override
    public int deviceMake(int backend, int ordinal) {
        return GpustreamJni.gs_device_make(backend, ordinal);
    }

    @Override
    public int deviceBackend(int device) {
        return GpustreamJni.gs_device_backend(device);
    }

    @Override
    public int deviceOrdinal(int device) {
        return GpustreamJni.gs_device_ordinal(device);
    }

    @Override
    public int deviceCount(int backend, long outCount) {
        return GpustreamJni.gs_device_count(backend, outCount);
    }

    @Override
    public int currentDevice(long outDevice) {
        return GpustreamJni.gs_current_device(outDevice);
    }

    @Override
    public int setCurrentDevice(int device) {
        return GpustreamJni.gs_set_current_device(device);
    }

    @Override
    public int exchangeDevice(int device, long outPrevious) {
        return GpustreamJni.gs_exchange_device(device, outPrevious);
    }

    @Override
    public int maybeExchangeDevice(int device, long outPrevious) {
        return GpustreamJni.gs_maybe_exchange_device(device, outPrevious);
    }

    @Override
    public int deviceSynchronize(int device) {
        return GpustreamJni.gs_device_synchronize(device);
    }

    @Override
    public int deviceCheck(int device) {
        return GpustreamJni.gs_device_check(device);
    }

    @Override
    public int deviceGetInfo(int device, long outInfo) {
        return GpustreamJni.gs_device_get_info(device, outInfo);
    }

    @Override
    public int deviceCanAccessPeer(int device, int peer, long outCanAccess) {
        return GpustreamJni.gs_device_can_access_peer(device, peer, outCanAccess);
    }

    @Override
    public int devicePriorityRange(int device, long outLeast, long outGreatest) {
        return GpustreamJni.gs_device_priority_range(device, outLeast, outGreatest);
    }
}

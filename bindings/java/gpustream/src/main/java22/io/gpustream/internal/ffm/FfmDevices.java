// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.DeviceCalls;
import java.lang.invoke.MethodHandle;

/** Devices. One static handle per function, which the compiler of the virtual machine sees through. */
final class FfmDevices implements DeviceCalls {
    private static final MethodHandle DEFAULT_BACKEND = Symbols.plain("gs_default_backend", int.class, long.class);
    private static final MethodHandle DEVICE_MAKE = Symbols.critical("gs_device_make", int.class, int.class, int.class);
    private static final MethodHandle DEVICE_BACKEND = Symbols.critical("gs_device_backend", int.class, int.class);
    private static final MethodHandle DEVICE_ORDINAL = Symbols.critical("gs_device_ordinal", int.class, int.class);
    private static final MethodHandle DEVICE_COUNT = Symbols.plain("gs_device_count", int.class, int.class, long.class);
    private static final MethodHandle CURRENT_DEVICE = Symbols.plain("gs_current_device", int.class, long.class);
    private static final MethodHandle SET_CURRENT_DEVICE = Symbols.plain("gs_set_current_device", int.class, int.class);
    private static final MethodHandle EXCHANGE_DEVICE =
            Symbols.plain("gs_exchange_device", int.class, int.class, long.class);
    private static final MethodHandle MAYBE_EXCHANGE_DEVICE =
            Symbols.plain("gs_maybe_exchange_device", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_SYNCHRONIZE = Symbols.plain("gs_device_synchronize", int.class, int.class);
    private static final MethodHandle DEVICE_CHECK = Symbols.plain("gs_device_check", int.class, int.class);
    private static final MethodHandle DEVICE_GET_INFO =
            Symbols.plain("gs_device_get_info", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_CAN_ACCESS_PEER =
            Symbols.plain("gs_device_can_access_peer", int.class, int.class, int.class, long.class);
    private static final MethodHandle DEVICE_PRIORITY_RANGE =
            Symbols.plain("gs_device_priority_range", int.class, int.class, long.class, long.class);

    @Override
    public int defaultBackend(long outBackend) {
        try {
            return (int) DEFAULT_BACKEND.invokeExact(outBackend);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceMake(int backend, int ordinal) {
        try {
            return (int) DEVICE_MAKE.invokeExact(backend, ordinal);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceBackend(int device) {
        try {
            return (int) DEVICE_BACKEND.invokeExact(device);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceOrdinal(int device) {
        try {
            return (int) DEVICE_ORDINAL.invokeExact(device);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceCount(int backend, long outCount) {
        try {
            return (int) DEVICE_COUNT.invokeExact(backend, outCount);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int currentDevice(long outDevice) {
        try {
            return (int) CURRENT_DEVICE.invokeExact(outDevice);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int setCurrentDevice(int device) {
        try {
            return (int) SET_CURRENT_DEVICE.invokeExact(device);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int exchangeDevice(int device, long outPrevious) {
        try {
            return (int) EXCHANGE_DEVICE.invokeExact(device, outPrevious);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int maybeExchangeDevice(int device, long outPrevious) {
        try {
            return (int) MAYBE_EXCHANGE_DEVICE.invokeExact(device, outPrevious);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceSynchronize(int device) {
        try {
            return (int) DEVICE_SYNCHRONIZE.invokeExact(device);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceCheck(int device) {
        try {
            return (int) DEVICE_CHECK.invokeExact(device);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceGetInfo(int device, long outInfo) {
        try {
            return (int) DEVICE_GET_INFO.invokeExact(device, outInfo);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceCanAccessPeer(int device, int peer, long outCanAccess) {
        try {
            return (int) DEVICE_CAN_ACCESS_PEER.invokeExact(device, peer, outCanAccess);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int devicePriorityRange(int device, long outLeast, long outGreatest) {
        try {
            return (int) DEVICE_PRIORITY_RANGE.invokeExact(device, outLeast, outGreatest);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * Devices.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface DeviceCalls {
    int defaultBackend(long outBackend);

    int deviceMake(int backend, int ordinal);

    int deviceBackend(int device);

    int deviceOrdinal(int device);

    int deviceCount(int backend, long outCount);

    int currentDevice(long outDevice);

    int setCurrentDevice(int device);

    int exchangeDevice(int device, long outPrevious);

    int maybeExchangeDevice(int device, long outPrevious);

    int deviceSynchronize(int device);

    int deviceCheck(int device);

    int deviceGetInfo(int device, long outInfo);

    int deviceCanAccessPeer(int device, int peer, long outCanAccess);

    int devicePriorityRange(int device, long outLeast, long outGreatest);
}

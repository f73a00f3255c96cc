// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * The inventory of the machine, and how busy devices are.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface TelemetryCalls {
    int inventoryCount(long outGpus, long outEntries);

    int inventoryGet(int index, long outEntry);

    int inventoryIndex(int device, long outIndex);

    int parseVisibleDevices(long value, long outList);

    int matchUuids(long candidates, long uuids, long outList);

    int deviceUtilizationPercent(int device, long outPercent);

    int deviceMemoryUtilizationPercent(int device, long outPercent);

    int deviceTemperatureCelsius(int device, long outCelsius);

    int devicePowerMilliwatts(int device, long outMilliwatts);

    int deviceSmClockMhz(int device, long outMhz);

    int deviceMemoryBytes(int device, long outUsed, long outFree, long outTotal);

    String archList(int backend);

    String gencodeFlags(int backend);

    int currentBlasHandle(long outHandle);
}

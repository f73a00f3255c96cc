// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TelemetryTest {
    private static final Device HOST = Device.of(Backend.HOST, 0);

    @Test
    void visibleDevices() {
        assertEquals(List.of("1", "0"), Inventory.parseVisibleDevices(" 1, +0 ,-1,3"));
        assertEquals(List.of(), Inventory.parseVisibleDevices("1,1"));
        assertEquals(List.of(), Inventory.parseVisibleDevices(""));
        assertEquals(List.of("GPU-9e8d35e3", "GPU-47"), Inventory.parseVisibleDevices("GPU-9e8d35e3,GPU-47,MIG-1"));
        List<String> all = IntStream.range(0, 64).mapToObj(String::valueOf).toList();
        assertEquals(all, Inventory.parseVisibleDevices(null));
        List<String> many = IntStream.range(0, 500).mapToObj(i -> "GPU-" + i).toList();
        assertEquals(many, Inventory.parseVisibleDevices(String.join(",", many)));
    }

    @Test
    void uuidsByTheirBeginnings() {
        List<String> uuids = List.of("GPU-aaaa", "GPU-abbb", "GPU-b");
        assertEquals(List.of(2, 0), Inventory.matchUuids(List.of("GPU-b", "GPU-aa"), uuids));
        assertEquals(List.of(2), Inventory.matchUuids(List.of("GPU-b", "GPU-a"), uuids));
        assertEquals(List.of(), Inventory.matchUuids(List.of("GPU-b", "GPU-b"), uuids));
        assertEquals(List.of(), Inventory.matchUuids(List.of(), uuids));
        assertEquals(List.of(), Inventory.matchUuids(List.of("GPU-b"), List.of()));
        assertEquals(List.of(), Inventory.matchUuids(List.of(), List.of("GPU-b")));
        assertEquals(List.of(), Inventory.matchUuids(List.of(), List.of()));
        assertThrows(IllegalArgumentException.class, () -> Inventory.parseVisibleDevices("0\0,1"));
    }

    @Test
    void theHostMeasuresItself() {
        MemoryUsage memory = HOST.memoryBytes();
        assertTrue(memory.totalBytes() > 0);
        assertTrue(memory.usedBytes() + memory.freeBytes() <= memory.totalBytes(), memory::toString);
        int percent = HOST.memoryUtilizationPercent();
        assertTrue(percent >= 0 && percent <= 100, () -> percent + " %");
        int load = HOST.utilizationPercent();
        assertTrue(load >= 0 && load <= 100, () -> load + " %");
        assertStatus(Status.NOT_SUPPORTED, HOST::powerMilliwatts);
        assertStatus(Status.NOT_SUPPORTED, HOST::inventoryIndex);
        assertStatus(Status.INVALID_DEVICE, () -> Device.of(Backend.HOST, 9).utilizationPercent());
    }

    /** GPUSTREAM_LIBCUDA names the fake driver, which the machine's management library does not know. */
    @Test
    void noManagementLibraryBelongsToTheFakeDriver() {
        assertStatus(Status.UNAVAILABLE, Inventory::count);
        assertStatus(Status.UNAVAILABLE, () -> Inventory.get(0));
        assertStatus(Status.UNAVAILABLE, () -> Device.of(Backend.CUDA, 0).temperatureCelsius());
    }
}

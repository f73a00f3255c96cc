// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeviceTest {
    @Test
    void devicesAreValues() {
        assertEquals(Device.of(1), Device.of(Backend.defaultBackend(), 1));
        assertEquals(Device.of(1).hashCode(), Device.of(Backend.defaultBackend(), 1).hashCode());
        assertNotEquals(Device.of(Backend.HOST, 0), Device.of(Backend.CUDA, 0));
        assertEquals("cuda:3", Device.of(Backend.CUDA, 3).toString());
        assertEquals(Backend.CUDA, Device.of(Backend.CUDA, 3).backend());
        assertEquals(3, Device.of(Backend.CUDA, 3).ordinal());
        assertThrows(IllegalArgumentException.class, () -> Device.of(-1));
        assertThrows(IllegalArgumentException.class, () -> Device.of(65536));
        assertThrows(IllegalArgumentException.class, () -> Backend.of(4));
        assertThrows(IllegalArgumentException.class, () -> Backend.of(0));
    }

    @Test
    void countAndInfo() {
        assertEquals(2, Device.count());
        assertEquals(2, Device.count(Backend.defaultBackend()));
        assertEquals(0, Backend.HIP.deviceCount());
        assertTrue(Library.backends().contains(Backend.HOST));
        DeviceInfo info = Device.of(1).info();
        assertEquals(1, info.ordinal());
        assertEquals(Backend.defaultBackend(), info.backend());
        assertFalse(info.name().isEmpty());
        assertTrue(info.totalMemoryBytes() > 0);
        assertTrue(info.multiprocessorCount() > 0);
        assertEquals(Device.of(1).priorityRange(), info.priorityRange());
        assertEquals(Backend.defaultBackend() == Backend.CUDA, info.pciAddress().isPresent());
        assertStatus(Status.INVALID_DEVICE, () -> Device.of(2).info());
    }

    @Test
    void peers() {
        assertFalse(Device.of(0).canAccessPeer(Device.of(0)));
        assertFalse(Device.of(Backend.HOST, 0).canAccessPeer(Device.of(Backend.CUDA, 0)));
        assertStatus(Status.INVALID_DEVICE, () -> Device.of(0).canAccessPeer(Device.of(9)));
    }

    @Test
    void synchronizeCoversAllStreams() {
        try (Stream stream = Stream.create(Device.of(1));
                Event event = Event.create()) {
            try (Support.Gate gate = new Support.Gate(stream)) {
                event.record(stream);
                gate.open();
            }
            Device.of(1).synchronize();
            assertTrue(event.query());
            Device.of(1).check();
        }
    }

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

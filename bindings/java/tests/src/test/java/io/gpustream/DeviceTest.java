// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
}

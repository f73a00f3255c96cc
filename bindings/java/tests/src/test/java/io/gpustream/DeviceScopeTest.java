// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static io.gpustream.Support.onThread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DeviceScopeTest {
    @Test
    void aScopeSetsTheDeviceAndPutsItBack() {
        onThread(() -> {
            Device before = Device.current();
            try (Stream stream = Stream.create(Device.of(1))) {
                stream.setCurrent();
                before.setCurrent();
                try (DeviceScope scope = Device.of(1).scope()) {
                    assertTrue(scope.isOpen());
                    assertEquals(Device.of(1), Device.current());
                    assertEquals(stream, Stream.current(), "current streams stay");
                    try (Stream here = Stream.create()) {
                        assertEquals(Device.of(1), here.device());
                    }
                    try (DeviceScope inner = Device.of(0).scope()) {
                        assertTrue(inner.isOpen());
                        assertEquals(Device.of(0), Device.current());
                    }
                    assertEquals(Device.of(1), Device.current());
                }
                assertEquals(before, Device.current());
                assertEquals(stream, Stream.current(Device.of(1)));
            }
        });
    }

    @Test
    void noScopeIsOpenForADeviceThatDoesNotExist() {
        onThread(() -> {
            try (DeviceScope outer = Device.of(1).scope()) {
                assertStatus(Status.INVALID_DEVICE, () -> Device.of(2).scope());
                assertEquals(Device.of(1), Device.current());
                assertTrue(outer.isOpen());
            }
            assertEquals(Device.of(0), Device.current());
        });
    }

    @Test
    void bothKindsOfScopesNestInOrder() {
        onThread(() -> {
            try (Stream stream = Stream.create(Device.of(1))) {
                DeviceScope device = Device.of(1).scope();
                StreamScope inDevice = stream.scope();
                DeviceScope innermost = Device.of(0).scope();
                assertStatus(Status.SCOPE, device::close);
                assertStatus(Status.SCOPE, inDevice::close);
                assertEquals(Device.of(0), Device.current());
                innermost.close();
                assertEquals(stream, Stream.current());
                assertStatus(Status.SCOPE, device::close);
                inDevice.close();
                assertEquals(Device.of(1), Device.current());
                device.close();
                assertEquals(Device.of(0), Device.current());
            }
        });
    }

    /** A scope that an unwind ended never counts as open again, whatever is opened afterwards. */
    @Test
    void unwindEndsScopesOfDevicesToo() {
        onThread(() -> {
            try (Stream stream = Stream.create(Device.of(1))) {
                StreamScope outer = stream.scope();
                DeviceScope inner = Device.of(0).scope();
                outer.unwind();
                assertEquals(Device.of(0), Device.current());
                assertStatus(Status.SCOPE, inner::close);
                StreamScope next = stream.scope();
                DeviceScope inNext = Device.of(1).scope();
                assertStatus(Status.SCOPE, inner::close);
                assertEquals(Device.of(1), Device.current());
                inNext.close();
                next.close();
                assertEquals(Device.of(0), Device.current());
            }
        });
    }
}

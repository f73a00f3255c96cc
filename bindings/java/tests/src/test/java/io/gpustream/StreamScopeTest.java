// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static io.gpustream.Support.onThread;
import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class StreamScopeTest {
    @Test
    void aScopeSetsStreamAndDeviceAndPutsThemBack() {
        onThread(() -> {
            Device before = Device.current();
            try (Stream stream = Stream.create(Device.of(1))) {
                try (StreamScope scope = stream.scope()) {
                    assertTrue(scope.isOpen());
                    assertEquals(stream, Stream.current());
                    assertEquals(stream, Stream.current(Device.of(1)));
                    assertEquals(Device.of(1), Device.current());
                    assertEquals(Stream.defaultStream(Device.of(0)), Stream.current(Device.of(0)));
                }
                assertEquals(before, Device.current());
                assertEquals(Stream.defaultStream(Device.of(1)), Stream.current(Device.of(1)));
            }
        });
    }

    @Test
    void anotherThreadsScopeIsRefusedAndChangesNothing() {
        onThread(() -> {
            try (Stream stream = Stream.create();
                    StreamScope scope = stream.scope()) {
                onThread(() -> {
                    assertStatus(Status.SCOPE, scope::close);
                    assertStatus(Status.SCOPE, scope::unwind);
                    assertNotEquals(stream, Stream.current());
                });
                assertTrue(scope.isOpen());
                assertEquals(stream, Stream.current());
            }
        });
    }

    @Test
    void setAndExchange() {
        onThread(() -> {
            try (Stream first = Stream.create(Device.of(1));
                    Stream second = Stream.create(Device.of(1))) {
                first.setCurrent();
                assertEquals(Device.of(1), Device.current());
                try (Stream previous = second.exchangeCurrent()) {
                    assertEquals(first, previous);
                }
                assertEquals(second, Stream.current());
                onThread(() -> assertEquals(Stream.defaultStream(Device.of(0)), Stream.current()));
                assertEquals(Device.of(1), Device.of(0).exchange());
                assertEquals(Device.of(0), Device.current());
            }
        });
    }

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
                assertTrue(device.isOpen());
                inDevice.close();
                inDevice.close();
                assertFalse(inDevice.isOpen());
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
                assertFalse(outer.isOpen());
                assertEquals(Device.of(0), Device.current());
                assertStatus(Status.SCOPE, outer::unwind);
                outer.close();
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

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static io.gpustream.Support.onThread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void aScopeEndsWhenTheBodyThrows() {
        onThread(() -> {
            try (Stream stream = Stream.create()) {
                RuntimeException thrown = assertThrows(RuntimeException.class, () -> {
                    try (StreamScope scope = stream.scope()) {
                        assertTrue(scope.isOpen());
                        throw new RuntimeException("body");
                    }
                });
                assertEquals("body", thrown.getMessage());
                assertEquals(0, thrown.getSuppressed().length);
                assertEquals(Stream.defaultStream(), Stream.current());
            }
        });
    }

    @Test
    void outOfOrderIsRefusedAndChangesNothing() {
        onThread(() -> {
            try (Stream first = Stream.create();
                    Stream second = Stream.create()) {
                StreamScope outer = first.scope();
                StreamScope inner = second.scope();
                assertStatus(Status.SCOPE, outer::close);
                assertTrue(outer.isOpen());
                assertEquals(second, Stream.current());
                inner.close();
                assertEquals(first, Stream.current());
                outer.close();
                outer.close();
                assertFalse(outer.isOpen());
                assertEquals(Stream.defaultStream(), Stream.current());
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
    void unwindDropsWhatIsInside() {
        onThread(() -> {
            try (Stream first = Stream.create();
                    Stream second = Stream.create()) {
                StreamScope outer = first.scope();
                StreamScope inner = second.scope();
                outer.unwind();
                assertFalse(outer.isOpen());
                assertEquals(Stream.defaultStream(), Stream.current());
                assertStatus(Status.SCOPE, inner::close);
                assertStatus(Status.SCOPE, outer::unwind);
                outer.close();
            }
        });
    }

    @Test
    void theCurrentStreamOutlivesItsOwner() {
        onThread(() -> {
            Stream stream = Stream.create();
            long id = stream.id();
            try (StreamScope scope = stream.scope()) {
                assertTrue(scope.isOpen());
                stream.close();
                assertEquals(id, Stream.current().id());
                try (Stream kept = Stream.current().retain()) {
                    assertTrue(kept.query());
                }
            }
            StreamTriple gone = new StreamTriple(id, 0, Backend.defaultBackend().code());
            assertStatus(Status.INVALID_HANDLE, () -> Stream.unpack(gone));
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
            }
        });
    }

    @Test
    void devices() {
        onThread(() -> {
            Device.of(1).setCurrent();
            assertEquals(Device.of(1), Device.current());
            assertEquals(Device.of(1), Device.of(0).exchange());
            assertEquals(Device.of(0), Device.current());
            assertEquals(Device.of(0), Device.of(1).exchange());
            assertStatus(Status.INVALID_DEVICE, () -> Device.of(2).setCurrent());
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import com.sun.jna.Pointer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The random state of devices: what is reserved after a seed, states that are set, and captures. */
class RandomStateTest {
    private final Stream stream = Stream.create();
    private final Device device = stream.device();
    private final RandomState before = RandomState.of(device);

    @AfterEach
    void ends() {
        before.set(device);
        stream.close();
    }

    /** A reservation that is not captured begins there. */
    private static void assertBegins(long seed, long offset, Philox philox) {
        assertEquals(new Philox(false, seed, offset, 0, 0, 0), philox);
    }

    @Test
    void reservationsFollowEachOtherInBlocksOfFour() {
        RandomState.seed(-1, device);
        assertEquals(new RandomState(-1, 0), RandomState.of(device));
        assertBegins(-1, 0, Philox.reserve(5, stream));
        try (StreamScope scope = stream.scope()) {
            assertTrue(scope.isOpen());
            assertBegins(-1, 8, Philox.reserve(4));
        }
        new RandomState(7, 1L << 62).set(device);
        assertBegins(7, 1L << 62, Philox.reserve(4, stream));
        assertEquals(new RandomState(7, (1L << 62) + 4), RandomState.of(device));
    }

    @Test
    void theBytesAreTorchs() {
        byte[] bytes = new byte[RandomState.BYTES];
        bytes[0] = 42;
        bytes[9] = 1;
        assertEquals(new RandomState(42, 256), RandomState.of(bytes));
        assertArrayEquals(bytes, new RandomState(42, 256).toByteArray());
        for (int size : new int[] {0, 8, 15, 17}) {
            assertThrows(IllegalArgumentException.class, () -> RandomState.of(new byte[size]));
        }
    }

    @Test
    void eachLaunchOfAGraphReserves() {
        RandomState.seed(11, device);
        Philox first;
        Philox second;
        Graph graph;
        try (Capture capture = stream.capture(CaptureMode.RELAXED)) {
            first = Philox.reserve(5, stream);
            second = Philox.reserve(1, stream);
            graph = capture.end();
        }
        assertTrue(first.captured() && second.captured());
        assertEquals(0, first.seed() | first.offset() | second.seed() | second.offset());
        assertNotEquals(0, first.seedAddress());
        assertNotEquals(0, first.offsetAddress());
        assertEquals(0, first.offsetInGraph());
        assertEquals(8, second.offsetInGraph());
        assertEquals(new RandomState(11, 0), RandomState.of(device), "nothing is taken in a capture");
        try (graph;
                GraphExec exec = graph.instantiate()) {
            for (long offset : new long[] {0, 12}) {
                exec.launch(stream);
                stream.synchronize();
                // The library's words, in memory of the host.
                assertEquals(11, new Pointer(first.seedAddress()).getLong(0));
                assertEquals(offset, new Pointer(first.offsetAddress()).getLong(0));
            }
        }
        assertEquals(new RandomState(11, 24), RandomState.of(device));
        assertFalse(Philox.reserve(1, stream).captured());
    }
}

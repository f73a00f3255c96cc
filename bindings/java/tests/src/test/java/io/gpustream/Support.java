// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.gpustream.internal.Native;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/** What the tests share. */
final class Support {
    static final Path SOURCE = Path.of(System.getProperty("gpustream.source"));
    static final Path BINARY = Path.of(System.getProperty("gpustream.binary"));
    static final Path PARITY_LIBRARY = BINARY.resolve("tests/parity/libgpustream_parity_native.so");
    static final boolean FULL = "1".equals(System.getProperty("gpustream.test.full"));

    /** How long to wait before a hang is assumed; not a measure of speed. */
    static final long PATIENCE_SECONDS = 60;

    private static final NativeLibrary PARITY = NativeLibrary.getInstance(PARITY_LIBRARY.toString());

    private Support() {}

    /** The text of the C header with its chapters. */
    static String header() throws IOException {
        StringBuilder text = new StringBuilder();
        try (java.util.stream.Stream<Path> files = Files.walk(SOURCE.resolve("include"))) {
            for (Path file : files.filter(one -> one.toString().endsWith(".h")).sorted().toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    /** Address of a function of the native library that the parity cases use. */
    static Function parityFunction(String name) {
        return PARITY.getFunction(name);
    }

    /** Holds a stream: work submitted to it afterwards is not done until the gate opens. */
    static final class Gate implements AutoCloseable {
        private final Pointer gate = parityFunction("parity_gate_new").invokePointer(new Object[0]);

        Gate(Stream stream) {
            Failure.check(Native.CALLS.streamLaunchHost(
                    stream.handle.use(),
                    Pointer.nativeValue(parityFunction("parity_gate_wait")),
                    Pointer.nativeValue(gate)));
        }

        void open() {
            parityFunction("parity_gate_open").invokeVoid(new Object[] {gate});
        }

        /** Opens it, so that nothing hangs after a failed test. */
        @Override
        public void close() {
            open();
        }
    }

    /** Waits until another thread has made the condition true; fails after {@link #PATIENCE_SECONDS}. */
    static void eventually(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                fail("it never came about");
            }
            Thread.onSpinWait();
        }
    }

    static void assertStatus(Status status, Executable call) {
        GpuStreamException thrown = assertThrows(GpuStreamException.class, call);
        assertEquals(status, thrown.status(), thrown::getMessage);
    }

    static void assertNull(String parameter, Executable call) {
        NullPointerException thrown = assertThrows(NullPointerException.class, call);
        assertEquals(parameter, thrown.getMessage());
    }

    /** Runs on a new platform thread and rethrows what it throws. */
    static void onThread(Executable code) {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                code.execute();
            } catch (Throwable error) {
                thrown.set(error);
            }
        });
        thread.start();
        try {
            thread.join(PATIENCE_SECONDS * 1000);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        if (thread.isAlive()) {
            fail("the thread hangs in " + java.util.Arrays.toString(thread.getStackTrace()));
        }
        if (thrown.get() != null) {
            throw new AssertionError("on another thread: " + thrown.get(), thrown.get());
        }
    }
}

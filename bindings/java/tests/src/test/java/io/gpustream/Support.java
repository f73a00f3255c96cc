// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.gpustream.internal.Native;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.*;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
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

    /** Address of a function of the native library that the parity cases use. */
    static com.sun.jna.Function parityFunction(String name) {
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

    /** Code that may throw anything. */
    interface Code<T> {
        T run() throws Throwable;
    }

    /** Code on a new thread, and what it returned or threw. */
    static final class Running<T> {
        final CompletableFuture<T> result = new CompletableFuture<>();
        final Thread thread;

        Running(Code<T> code) {
            this(code, Thread::new);
        }

        Running(Code<T> code, Function<Runnable, Thread> maker) {
            thread = maker.apply(() -> {
                try {
                    result.complete(code.run());
                } catch (Throwable thrown) {
                    result.completeExceptionally(thrown);
                }
            });
            thread.start();
        }

        /** Returns once the thread waits, or has ended. */
        Running<T> untilItWaits() {
            eventually(() -> thread.getState().name().matches("(TIMED_)?WAITING|TERMINATED"));
            return this;
        }

        T get() throws Exception {
            return Support.get(result);
        }

        Throwable thrown() {
            return assertThrows(ExecutionException.class, this::get).getCause();
        }
    }

    /** Runs on a new platform thread and rethrows what it throws. */
    static void onThread(Executable code) {
        Running<Object> running = new Running<>(() -> {
            code.execute();
            return null;
        });
        try {
            running.get();
        } catch (ExecutionException failed) {
            throw new AssertionError("on another thread: " + failed.getCause(), failed.getCause());
        } catch (Exception hangs) {
            throw new AssertionError("the thread hangs in " + Arrays.toString(running.thread.getStackTrace()), hangs);
        }
    }

    /** For programs without JUnit's messages. */
    static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    /** Waits without a checked exception. */
    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Waits until the collector has taken an object. */
    static void assertCollected(WeakReference<?> what) {
        onceCollected(() -> what.refersTo(null));
    }

    /** Waits until the collector has made the condition true. */
    static void onceCollected(BooleanSupplier condition) {
        eventually(() -> {
            System.gc();
            return condition.getAsBoolean();
        });
    }

    /** For what must still be reachable. */
    static void collect() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
    }

    static <T> T get(Future<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** The memory as a buffer, filled with zeros. */
    static ByteBuffer zeroed(HostMemory memory) {
        ByteBuffer bytes = memory.asByteBuffer();
        bytes.duplicate().put(new byte[bytes.capacity()]);
        return bytes;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layer;
import io.gpustream.internal.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.*;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whole processes: several of them, both layers in one, upcalls that would end one. */
@Tag("processes")
class ProcessTest {
    /** Changes what is current through one layer and reads it through the other. */
    static final class BothLayers {
        public static void main(String[] arguments) {
            Layer other = Layer.create(Library.layer().equals("ffm") ? "jni" : "ffm");
            Scratch scratch = Scratch.get();
            try (Stream stream = Stream.create(Device.of(1));
                    StreamScope scope = stream.scope()) {
                Failure.check(other.calls().currentStream(Constants.DEVICE_CURRENT, scratch.address));
                Support.check(scratch.getLong() == stream.handle.number, "the other layer has another stream");
                Failure.check(other.calls().currentDevice(scratch.address));
                Support.check(scratch.getInt() == 1, "the other layer has another device");
                Support.check(other.calls().instanceCount() == 1 && scope.isOpen(), "there are two libraries");
            }
            Failure.check(other.calls().currentStream(Constants.DEVICE_CURRENT, scratch.address));
            Support.check(scratch.getLong() == Stream.defaultStream().handle.number, "the scope is not over there");
            System.out.println("one state");
        }
    }

    @Test
    void bothLayersShareOneState() {
        if (Layer.hasFfm()) {
            assertEquals("one state", new Child(BothLayers.class).output().strip());
        } else {
            assertTrue(Runtime.version().feature() < 22);
        }
    }

    /** Opens the event that its parent exported, prints its state, and waits for it. */
    static final class Opener {
        public static void main(String[] arguments) {
            IpcHandle handle = IpcHandle.of(HexFormat.of().parseHex(arguments[0]));
            try (Event event = Event.openIpc(handle, Device.of(0))) {
                System.out.println(event.query());
                event.synchronize();
                System.out.println(event.query() + " " + event.flags());
            }
        }
    }

    @Test
    void eventsCrossProcesses() throws Exception {
        Device device = Device.of(Backend.HOST, 0);
        try (Stream stream = Stream.create(device);
                Event event = Event.builder().interprocess().build()) {
            event.record(stream);
            event.synchronize();
            String handle = HexFormat.of().formatHex(event.exportIpc().toByteArray());
            Path output = Files.createTempFile("gpustream-ipc", ".txt");
            try (Support.Gate gate = new Support.Gate(stream)) {
                event.record(stream);
                Process process =
                        new Child(Opener.class, handle).environment("GPUSTREAM_BACKEND", "host").start(output);
                Support.eventually(() -> textOf(output).contains("\n") || !process.isAlive());
                assertEquals("false\n", textOf(output));
                gate.open();
                assertTrue(process.waitFor(Support.PATIENCE_SECONDS, TimeUnit.SECONDS));
                assertEquals("false\ntrue [INTERPROCESS]\n", textOf(output));
                assertEquals(0, process.exitValue());
            } finally {
                Files.delete(output);
            }
        }
    }

    private static String textOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Fails in a function that initialisation calls, and starts at the second attempt. */
    static final class Deferred {
        public static void main(String[] arguments) {
            Library.callOnInit(() -> System.out.println("first"));
            Library.callOnInit(() -> {
                throw new IllegalStateException("second, on purpose");
            });
            Library.callOnInit(() -> System.out.println("third"));
            try {
                Library.init();
            } catch (GpuStreamException failed) {
                System.out.println(failed.status() + " because of " + failed.getCause().getMessage() + ", initialised: "
                        + Library.isInitialized());
            }
            Library.init();
            System.out.println("initialised: " + Library.isInitialized());
        }
    }

    @Test
    void deferredFunctionsRunAtTheStart() {
        assertEquals(
                "first\nSYSTEM because of second, on purpose, initialised: false\nthird\ninitialised: true",
                new Child(Deferred.class).output().strip());
    }

    /** A device breaks while a future is open. */
    static final class Failing {
        public static void main(String[] arguments) throws Exception {
            try (Stream stream = Stream.create();
                    DeviceBuffer device = DeviceBuffer.allocate(16, stream);
                    HostBuffer host = HostBuffer.allocate(16, stream); // their memory goes with the device
                    Support.Gate gate = new Support.Gate(stream)) {
                host.copyFrom(device, stream);
                CompletableFuture<Void> done = stream.completion();
                FakeDriver.breakDevice(0, 700);
                gate.open();
                try {
                    Support.get(done);
                } catch (ExecutionException failed) {
                    GpuStreamException thrown = (GpuStreamException) failed.getCause();
                    System.out.println(thrown.status() + " " + thrown.nativeCode() + " " + thrown.sticky());
                }
                try {
                    stream.synchronize();
                } catch (GpuStreamException failed) {
                    System.out.println(failed.status() + " " + failed.sticky() + " " + !failed.origin().isEmpty());
                }
            }
        }
    }

    @Test
    void aBrokenDeviceIsToldAndClosingStillWorks() {
        String output = new Child(Failing.class)
                .environment("GPUSTREAM_BACKEND", "cuda")
                .output();
        assertEquals("STICKY 700 true\nSTICKY true true", output.strip());
    }

    // Getters do not call back into Java, which FFM allows only for some of them: a call from one that is linked as critical
    // ends the virtual machine.

    /** Asks for the mode of waits, whose first use warns of the environment. */
    static final class Waiting {
        public static void main(String[] arguments) {
            System.out.println(Library.waitMode());
        }
    }

    @Test
    void aWarningOfTheFirstUse() {
        String output = new Child(Waiting.class)
                .environment("GPUSTREAM_WAIT", "lazily")
                .output();
        assertTrue(output.contains("GPUSTREAM_WAIT='lazily' is ignored"), output);
        assertTrue(output.contains(WaitMode.DRIVER.name()), output);
    }

    /** Lets the last use of a stream with a release function end, that of a bridge, and then asks for facts. */
    static final class Getting {
        public static void main(String[] arguments) {
            long[] current = {0};
            boolean[] released = {false};
            Device device = Device.of(0);
            Bridge bridge = Bridge.register("made up", Backend.defaultBackend(), ordinal -> current[0]);
            long theirs = FakeDriver.newStream(0);
            ExternalStream wrap = ExternalStream.owning(theirs, device, () -> released[0] = true);
            try (Stream own = Stream.create();
                    Event event = Event.create()) {
                event.record(own);
                bridge.follow();
                current[0] = theirs;
                System.out.println(Stream.current().nativeHandle() == theirs);
                wrap.close();
                current[0] = 0;
                System.out.println(Stream.current().nativeHandle() == theirs);
                System.out.println(event.device().orElseThrow().equals(device) && !released[0]);
                own.query();
                System.out.println(released[0]);
            }
        }
    }

    @Test
    void aGetterRunsNoReleaseFunction() {
        String output = new Child(Getting.class)
                .environment("GPUSTREAM_BACKEND", "cuda")
                .output();
        assertEquals(List.of("true", "false", "true", "true"), output.lines().toList());
    }
}

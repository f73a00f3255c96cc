// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Getters do not call back into Java, which FFM allows only for some of them: a call from one that is linked as critical
 * ends the virtual machine.
 */
@Tag("processes")
class UpcallTest {
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

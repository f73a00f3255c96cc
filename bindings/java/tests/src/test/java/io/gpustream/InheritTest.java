// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The threads of these classes do not keep what belongs to the thread that happens to start them. */
@Tag("processes")
class InheritTest {
    /** Starts them all, and prints how many have inherited a thread local. */
    static final class Starting {
        public static void main(String[] arguments) throws Exception {
            AtomicInteger heirs = new AtomicInteger();
            InheritableThreadLocal<Integer> local = new InheritableThreadLocal<>() {
                @Override
                protected Integer childValue(Integer parent) {
                    heirs.incrementAndGet();
                    return parent;
                }
            };
            local.set(1);
            try (Stream stream = Stream.create();
                    Timeline timeline = Timeline.create()) {
                stream.addDoneCallback(() -> {});
                stream.completion().get();
                timeline.set(1);
                timeline.completion(1).get();
            }
            System.out.println(heirs.get());
        }
    }

    @Test
    void noThreadInheritsThreadLocals() {
        Child child = new Child(Starting.class).environment("GPUSTREAM_BACKEND", "host");
        assertEquals("0", child.run().succeeded().output().strip());
    }
}

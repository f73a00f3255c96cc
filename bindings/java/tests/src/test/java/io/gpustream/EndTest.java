// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Upcalls into Java in hard places: at the end of the virtual machine, without stack, inside a call. */
@Tag("processes")
class EndTest {
    /** Kept reachable: the log manager holds loggers weakly. */
    private static final Logger LOGGER = Logger.getLogger("io.gpustream");

    /** Runs a function for every message. */
    private static void onMessage(Runnable action) {
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(new Handler() {
            @Override
            public void publish(LogRecord record) {
                System.out.println(record.getMessage());
                action.run();
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }

    /** Ends before or after the work that it waits for is done; in the end also with open objects. */
    static final class Leaver {
        public static void main(String[] arguments) {
            Stream stream = Stream.create(Device.of(Backend.HOST, 0));
            HostMemory memory = HostMemory.allocate(64);
            stream.query();
            stream.sleep(Long.parseLong(arguments[0]));
            stream.addDoneCallback(() -> {});
            stream.copy(memory, ByteBuffer.allocateDirect(64));
            stream.completion();
            stream.recordEvent();
            stream.setCurrent();
            System.out.println("leaving by " + arguments[1]);
            switch (arguments[1]) {
                case "exit" -> System.exit(7);
                case "halt" -> Runtime.getRuntime().halt(7);
                case "exception" -> throw new IllegalStateException("on purpose");
                default -> {}
            }
        }
    }

    private static void leaves(int status, long delay, String way) {
        Child.Result result = new Child(Leaver.class, Long.toString(delay), way).run();
        assertEquals(status, result.status(), result.output());
        assertTrue(result.output().contains("leaving by " + way), result.output());
    }

    @Test
    void notificationsMayBeDueAtAnyTimeOfTheEnd() {
        for (long delay = 0; delay <= 42_000_000; delay += 6_000_000) { // some nanoseconds before or after the end
            boolean exits = delay / 6_000_000 % 2 == 0;
            leaves(exits ? 7 : 0, delay, exits ? "exit" : "return");
        }
    }

    @Test
    void aProgramMayEndInTheMiddle() {
        long delay = 5_000_000_000L;
        leaves(0, delay, "return");
        leaves(7, delay, "exit");
        leaves(7, delay, "halt");
        leaves(1, delay, "exception");
    }

    /** Registers a hook that waits for work which never ends. */
    static final class Waiter {
        public static void main(String[] arguments) {
            Stream stream = Stream.create();
            Support.Gate never = new Support.Gate(stream);
            Timeline timeline = Timeline.create();
            List<CompletableFuture<Void>> completions = List.of(stream.completion(), timeline.completion(1));
            stream.addDoneCallback(() -> System.out.println("a function ran"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                for (CompletableFuture<Void> completion : completions) {
                    completion.handle((nothing, thrown) -> {
                        System.out.println(((GpuStreamException) thrown).status());
                        return null;
                    }).join();
                }
                for (Supplier<CompletableFuture<Void>> refusing :
                        List.<Supplier<CompletableFuture<Void>>>of(
                                stream::completion,
                                () -> timeline.completion(1),
                                () -> {
                                    stream.defer(() -> {});
                                    return null;
                                })) {
                    try {
                        refusing.get();
                    } catch (GpuStreamException refused) {
                        System.out.println(refused.status());
                    }
                }
                System.out.println(never != null);
            }));
        }
    }

    @Test
    void completionsEndWithTheVirtualMachine() {
        assertEquals("SHUTDOWN\n".repeat(5) + "true", new Child(Waiter.class).output().strip());
    }

    /** Ends while a thread of the driver waits for a function that never returns, and threads wait for work. */
    static final class Holder {
        public static void main(String[] arguments) throws Exception {
            Stream stream = Stream.create();
            CountDownLatch entered = new CountDownLatch(1);
            CountDownLatch never = new CountDownLatch(1);
            stream.launchHost(() -> {
                entered.countDown();
                try {
                    never.await();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            });
            Thread waiter = new Thread(() -> {
                try (CompletionQueue queue = CompletionQueue.create(1)) {
                    stream.synchronize(Duration.ofDays(1));
                    queue.await(1, Duration.ofDays(1));
                } catch (InterruptedException | GpuStreamException ended) {
                    System.out.println(ended.getMessage());
                }
            });
            waiter.setDaemon(true);
            waiter.start();
            entered.await();
            if (arguments[0].equals("exit")) {
                System.exit(3);
            }
        }
    }

    @Test
    void workThatWaitsForJavaHoldsNothingUpAtTheEnd() {
        assertEquals(3, new Child(Holder.class, "exit").run().status());
        new Child(Holder.class, "return").run().succeeded();
    }

    /** Ends the virtual machine inside a call of the library. */
    static final class Quitter {
        public static void main(String[] arguments) {
            Stream stream = Stream.create();
            onMessage(() -> System.exit(7));
            Library.setSyncDebugMode(SyncDebugMode.WARN);
            stream.synchronize();
        }
    }

    @Test
    void aLogHandlerMayEndTheVirtualMachine() {
        Child.Result result = new Child(Quitter.class).run();
        assertEquals(7, result.status(), result.output());
    }

    /** Calls the library inside a call whose outputs have not been read yet. */
    static final class Asker {
        public static void main(String[] arguments) {
            onMessage(() -> System.out.println(Device.count() + " " + Library.stats().records()));
            Stream stream = Stream.unpack(new StreamTriple(0, 1, Backend.HOST.code()));
            System.out.println(stream.device().ordinal());
        }
    }

    @Test
    void aLogHandlerMayAskTheLibrary() {
        String output = new Child(Asker.class)
                .environment("GPUSTREAM_BACKEND", "host")
                .environment("GPUSTREAM_HOST_WORKERS", "many")
                .output();
        assertTrue(output.contains("GPUSTREAM_HOST_WORKERS='many' is not a number"), output);
        assertTrue(output.endsWith("2 0\n1\n"), output);
    }

    /** Calls functions that call back, at growing depth of the stack. */
    static final class Diver {
        private static int turns;

        public static void main(String[] arguments) {
            Stream stream = Stream.create();
            LOGGER.setUseParentHandlers(false);
            Library.init();
            dive(() -> Library.callOnInit(() -> turns++));
            Library.setSyncDebugMode(SyncDebugMode.WARN);
            dive(stream::synchronize);
            System.out.println("alive " + (turns > 0));
        }

        private static void dive(Runnable call) {
            for (int i = 0; i < 20; i++) {
                try {
                    deeper(call);
                } catch (StackOverflowError | GpuStreamException expected) {
                    turns++;
                }
            }
        }

        private static void deeper(Runnable call) {
            call.run();
            deeper(call);
        }
    }

    @Test
    void withoutStackNothingEntersJava() {
        // Messages beyond the mailbox's limit are on stderr.
        String output = new Child(Diver.class).output();
        assertTrue(output.endsWith("alive true\n"), output);
    }
}

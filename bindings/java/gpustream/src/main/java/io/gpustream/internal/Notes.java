// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The daemon thread that takes the notes which the library's threads leave for Java. It only passes them on, since all
 * later notes wait for it.
 */
final class Notes implements Runnable {
    // struct gs_java_taken and its kinds, native/gates.h
    private static final int BYTES = 1024;
    private static final int CODE = 12;
    private static final int TICKET = 16;
    private static final int TEXT = 24;
    private static final int CLOSED = 0;
    private static final int DONE = 1;
    private static final int RELEASED = 2;
    private static final int LOGGED = 3;
    private static final int RUN = 4;
    private static final int REPORTED = 5;

    /** How long the end of the virtual machine waits for notes that are nearly passed on. */
    private static final long PATIENCE_MS = 250;

    private final Bridge bridge;
    private final ByteBuffer note = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());

    private Notes(Bridge bridge) {
        this.bridge = bridge;
    }

    /**
     * From now on notes are taken, and the library's messages go to System.Logger "io.gpustream" unless
     * {@code -Dgpustream.log=native} leaves them to the library. Both end with the virtual machine, which native code
     * may outlive.
     */
    static void install(Calls calls, Bridge bridge) {
        Thread notes = start(bridge);
        if (!"native".equals(System.getProperty("gpustream.log"))) {
            calls.setLogCallback(bridge.function(Callbacks.ON_MESSAGE), bridge.argument(0));
        }
        Thread end = new Thread(null, () -> close(bridge, notes), "gpustream-shutdown", 0, false);
        end.setContextClassLoader(null); // it is kept for as long as the virtual machine runs
        try {
            Runtime.getRuntime().addShutdownHook(end);
        } catch (IllegalStateException shuttingDown) {
            end.run();
        }
    }

    // It ends when the bridge is closed and the last note was passed on.
    private static Thread start(Bridge bridge) {
        Thread thread = new Thread(null, new Notes(bridge), "gpustream-notes", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader()); // not the creating thread's, which it would keep
        thread.start();
        return thread;
    }

    // Every wait has a bound: the thread that ends the virtual machine may be inside a call, and waits for this.
    private static void close(Bridge bridge, Thread notes) {
        Callbacks.over = true;
        bridge.close();
        try {
            try {
                notes.join(PATIENCE_MS);
            } finally {
                Callbacks.end(PATIENCE_MS);
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        Callbacks.forbidWaits(Constants.FORBID_AS_NOTIFICATION); // an executor may run a function in the call
        long address = bridge.addressOf(note);
        int kind;
        while ((kind = bridge.take(address)) != CLOSED) {
            try {
                pass(kind, note.getLong(0));
            } catch (Throwable thrown) {
                Callbacks.report("a notification of gpustream failed", thrown);
            }
        }
    }

    private void pass(int kind, long number) {
        switch (kind) {
            case DONE -> Callbacks.done(number, note.getInt(CODE));
            case RELEASED -> Callbacks.releaseLater(number);
            case LOGGED -> Callbacks.logLater(note.getInt(CODE), bridge.text(bridge.addressOf(note) + TEXT));
            case RUN -> {
                long ticket = note.getLong(TICKET);
                HostFunctions.run(number, () -> bridge.ran(ticket));
            }
            case REPORTED -> report(number, note.getLong(TICKET));
            default -> throw new IllegalStateException("a note of kind " + kind);
        }
    }

    private void report(long number, long address) {
        String text = bridge.text(address);
        String json = bridge.text(address + bridge.bytesAt(address).length + 1);
        bridge.free(address);
        Callbacks.reported(number, text, json);
    }
}

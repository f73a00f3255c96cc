// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import io.gpustream.internal.load.JniLibrary;
import java.util.function.Supplier;

/**
 * One way to call the library: FFM where the virtual machine has java.lang.foreign (22 or newer), else JNI. Both serve
 * the same public classes.
 *
 * @param name "jni" or "ffm"
 * @param calls the functions of the header
 * @param bridge native memory and upcalls
 */
public record Layer(String name, Calls calls, Bridge bridge) {
    /** Property that names the layer to use, "ffm" or "jni"; no other is tried then. */
    public static final String PROPERTY = "gpustream.layer";

    /** The oldest {@code gs_version()} these classes work with. */
    private static final int OLDEST_VERSION = 100;

    private static final String FFM = "io.gpustream.internal.ffm.FfmLayer";

    /** The layer that {@link #PROPERTY} or the virtual machine chooses, ready for upcalls. */
    static Layer load() {
        String wanted = System.getProperty(PROPERTY);
        Layer layer = create(wanted != null ? wanted : hasFfm() ? "ffm" : "jni");
        Callbacks.use(layer.calls, layer.bridge);
        Notes.install(layer.calls, layer.bridge);
        return layer;
    }

    /** A layer by name. Public for tests that need both at once. */
    public static Layer create(String name) {
        Layer layer =
                switch (name) {
                    case "ffm" -> ffm();
                    case "jni" -> jni();
                    default -> throw new UnsatisfiedLinkError(
                            "-D" + PROPERTY + "=" + name + ": a layer is 'ffm' or 'jni'");
                };
        if (!layer.bridge.open()) {
            throw new OutOfMemoryError("no native memory for gpustream");
        }
        layer.check();
        return layer;
    }

    /** Whether this virtual machine and this build of the classes have the FFM layer. */
    public static boolean hasFfm() {
        try {
            Class.forName(FFM, false, Layer.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    private void check() {
        int abi = calls.abiVersion();
        int version = calls.version();
        if (abi != Constants.ABI_VERSION || version < OLDEST_VERSION) {
            throw new UnsatisfiedLinkError(
                    "the libgpustream.so.0 that is loaded has version " + bridge.text(calls.versionString()) + " (ABI "
                            + abi + "); these classes need ABI " + Constants.ABI_VERSION + " and at least version "
                            + OLDEST_VERSION / 10000 + "." + OLDEST_VERSION / 100 % 100 + "." + OLDEST_VERSION % 100);
        }
    }

    private static Layer jni() {
        JniLibrary.load();
        return new Layer("jni", new Calls(), new Bridge());
    }

    // By name, because the FFM layer exists only in the part of the archive for Java 22 and newer.
    private static Layer ffm() {
        try {
            Class<?> found = Class.forName(FFM);
            return (Layer) ((Supplier<?>) found.getDeclaredConstructor().newInstance()).get();
        } catch (ClassNotFoundException absent) {
            throw new UnsatisfiedLinkError("no layer '" + FFM + "' in Java " + Runtime.version().feature()
                    + ": FFM needs Java 22 or newer, and an archive that was built with one");
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException(broken);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A search for a native library, and the result of each attempt.
 *
 * <p>First by bare name: the dynamic loader then returns the copy that the process already has, whichever language
 * loaded it, so that all share one state. Then {@code -Dgpustream.library.path}, then the copy in gpustream-natives.
 */
public final class LibrarySearch {
    /** The core library by its SONAME. */
    public static final String CORE = "libgpustream.so.0";

    // The core looks for it beside itself.
    private static final String TOOLS = "libgpustream_tools.so.0";

    /** The library that belongs to these classes: native methods for JNI, and upcalls for both layers. */
    public static final String JAVA = "libgpustreamjni.so";

    /** Property with the folder that holds the libraries. */
    public static final String PATH_PROPERTY = "gpustream.library.path";

    private final List<String> tried = new ArrayList<>();

    /** Opens a library, or throws the reason why not. */
    @FunctionalInterface
    public interface Opener {
        void open() throws Throwable;
    }

    /**
     * Tries to open a library. A failure is remembered as one of {@code what}.
     *
     * @return whether it was opened
     * @throws UnsatisfiedLinkError if the virtual machine denies native libraries: no other attempt could succeed
     */
    public boolean attempt(String what, Opener opener) {
        try {
            opener.open();
            return true;
        } catch (UnsatisfiedLinkError | IllegalArgumentException | IOException failed) {
            tried.add(what + ": " + failed.getMessage() + advice(failed.getMessage()));
            return false;
        } catch (IllegalCallerException denied) {
            // Every other attempt would be denied as well.
            throw denied(denied);
        } catch (RuntimeException | Error serious) {
            throw serious;
        } catch (Throwable unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    /** The file in the folder of the property; null if the property is not set, or (remembered) the folder lacks it. */
    public Path stated(String file) {
        String folder = System.getProperty(PATH_PROPERTY);
        if (folder == null || folder.isEmpty()) {
            return null;
        }
        Path path = Path.of(folder).toAbsolutePath().resolve(file);
        if (!Files.isRegularFile(path)) {
            tried.add("-D" + PATH_PROPERTY + ": no file " + path);
            return null;
        }
        return path;
    }

    /** The bundled file, extracted; null if that failed (remembered). The core comes with its tools beside it. */
    public Path bundled(String file) {
        Path[] found = new Path[1];
        String[] files = file.equals(CORE) ? new String[] {CORE, TOOLS} : new String[] {file};
        attempt("bundled copy", () -> found[0] = Bundle.extract(files));
        return found[0];
    }

    /** The error that lists every attempt. */
    public UnsatisfiedLinkError failure(String file) {
        StringBuilder text = new StringBuilder("cannot load " + file + " on " + Bundle.PLATFORM + "; tried");
        tried.forEach(one -> text.append("\n  ").append(one));
        text.append("\nInstall it where the dynamic loader finds it, set -D").append(PATH_PROPERTY)
                .append("=FOLDER, or add gpustream-natives to the ")
                .append(isModule() ? "module path, with --add-modules io.gpustream.natives." : "class path.");
        return new UnsatisfiedLinkError(text.toString());
    }

    // The dynamic loader names the system call that was refused, and not why.
    private static String advice(String reason) {
        return reason != null && reason.contains("failed to map segment")
                ? "; its file system seems to be mounted noexec (-D" + Bundle.CACHE_PROPERTY + " names another folder)"
                : "";
    }

    private static UnsatisfiedLinkError denied(IllegalCallerException cause) {
        String who = isModule() ? LibrarySearch.class.getModule().getName() : "ALL-UNNAMED";
        UnsatisfiedLinkError error = new UnsatisfiedLinkError(
                "Java denies gpustream native libraries; start it with --enable-native-access=" + who);
        error.initCause(cause);
        return error;
    }

    private static boolean isModule() {
        return LibrarySearch.class.getModule().isNamed();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.load;

import java.nio.file.Path;
import java.util.function.Function;

/** The C code of the native methods, libgpustreamjni.so. */
public final class JniLibrary {
    private static final String FILE = LibrarySearch.JAVA;

    private JniLibrary() {}

    public static void load() {
        LibrarySearch search = new LibrarySearch();
        if (!search.attempt(FILE + " on java.library.path", () -> System.loadLibrary("gpustreamjni"))
                && !load(search, search::stated)
                && !load(search, search::bundled)) {
            throw search.failure(FILE);
        }
    }

    // The JNI library names the core by its SONAME only, so the process's copy is used if there is one. Otherwise the
    // core beside it is loaded first and has that name from then on.
    private static boolean load(LibrarySearch search, Function<String, Path> place) {
        Path file = place.apply(FILE);
        if (file == null) {
            return false;
        }
        if (search.attempt(file + " with " + LibrarySearch.CORE + " by name", () -> System.load(file.toString()))) {
            return true;
        }
        Path core = place.apply(LibrarySearch.CORE);
        return core != null
                && search.attempt(core.toString(), () -> System.load(core.toString()))
                && search.attempt(file.toString(), () -> System.load(file.toString()));
    }
}

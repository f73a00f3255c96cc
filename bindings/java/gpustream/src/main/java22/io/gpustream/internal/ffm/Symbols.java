// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.load.LibrarySearch;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Opens the library and makes handles of its functions. */
final class Symbols {
    // Before the linker: on a platform without both, the search's error says more.
    private static final SymbolLookup LIBRARY = open(LibrarySearch.CORE);
    // Names the core by its SONAME only, which is the one just opened. No class loader owns it, unlike with JNI.
    private static final SymbolLookup GATES = open(LibrarySearch.JAVA);
    static final Linker LINKER = Linker.nativeLinker();

    private Symbols() {}

    private static SymbolLookup open(String file) {
        LibrarySearch search = new LibrarySearch();
        SymbolLookup[] found = new SymbolLookup[1];
        if (search.attempt(file + " by name", () -> found[0] = SymbolLookup.libraryLookup(file, Arena.global()))
                || open(search, search.stated(file), found)
                || open(search, search.bundled(file), found)) {
            return found[0];
        }
        throw search.failure(file);
    }

    private static boolean open(LibrarySearch search, Path file, SymbolLookup[] found) {
        return file != null
                && search.attempt(
                        file.toString(), () -> found[0] = SymbolLookup.libraryLookup(file, Arena.global()));
    }

    /** A function that may take long, block, or call back into Java. */
    static MethodHandle plain(String name, Class<?> result, Class<?>... parameters) {
        return handle(LIBRARY, name, MethodType.methodType(result, parameters));
    }

    /** A function of native/gates.h. */
    static MethodHandle gate(String name, Class<?> result, Class<?>... parameters) {
        return handle(GATES, name, MethodType.methodType(result, parameters));
    }

    /**
     * A function that only looks something up: the thread calls it without leaving Java's state. Not for one that can
     * wait, start a backend or log: an upcall from there ends the process.
     */
    static MethodHandle critical(String name, Class<?> result, Class<?>... parameters) {
        return handle(LIBRARY, name, MethodType.methodType(result, parameters), Linker.Option.critical(false));
    }

    private static MethodHandle handle(
            SymbolLookup library, String name, MethodType type, Linker.Option... options) {
        Optional<MemorySegment> address = library.find(name);
        if (address.isEmpty()) {
            // Fails when it is called, so that an older library serves for the other functions.
            MethodHandle thrower = MethodHandles.throwException(type.returnType(), UnsupportedOperationException.class)
                    .bindTo(new UnsupportedOperationException("the loaded native library has no " + name));
            return MethodHandles.dropArguments(thrower, 0, type.parameterList());
        }
        return LINKER.downcallHandle(address.get(), descriptor(type), options);
    }

    static FunctionDescriptor descriptor(MethodType type) {
        MemoryLayout[] parameters =
                Arrays.stream(type.parameterArray()).map(Symbols::layout).toArray(MemoryLayout[]::new);
        return type.returnType() == void.class
                ? FunctionDescriptor.ofVoid(parameters)
                : FunctionDescriptor.of(layout(type.returnType()), parameters);
    }

    private static MemoryLayout layout(Class<?> type) {
        return type == int.class ? ValueLayout.JAVA_INT
                : type == double.class ? ValueLayout.JAVA_DOUBLE : ValueLayout.JAVA_LONG;
    }

    /** The static text at an address; null for 0. */
    static String text(long address) {
        return address == 0 ? null : MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0);
    }

    /** What to throw for an exception of a handle, which is unchecked but not declared so. */
    static RuntimeException broken(Throwable error) {
        if (error instanceof RuntimeException exception) {
            return exception;
        }
        if (error instanceof Error serious) {
            throw serious;
        }
        return new IllegalStateException(error);
    }
}

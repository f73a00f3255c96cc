// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Calls;
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
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Opens the library, makes handles of its functions, and calls them. */
final class Symbols {
    // Before the linker: on a platform without both, the search's error says more.
    private static final SymbolLookup LIBRARY = open(LibrarySearch.CORE);
    // Names the core by its SONAME only, which is the one just opened. No class loader owns it, unlike with JNI.
    private static final SymbolLookup GATES = open(LibrarySearch.JAVA);
    static final Linker LINKER = Linker.nativeLinker();
    private static final Map<String, MethodType> TYPES = types();

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

    /** A function of the header that may take long, block, or call back into Java. */
    static MethodHandle plain(String name) {
        return handle(LIBRARY, name, TYPES.get(name));
    }

    /**
     * One that only looks something up: the thread calls it without leaving Java's state. Not for one that can wait,
     * start a backend or log: an upcall from there ends the process.
     */
    static MethodHandle critical(String name) {
        return handle(LIBRARY, name, TYPES.get(name), Linker.Option.critical(false));
    }

    /** A function of native/gates.h. */
    static MethodHandle gate(String name, Class<?> result, Class<?>... parameters) {
        return handle(GATES, name, MethodType.methodType(result, parameters));
    }

    /** The types of the methods of Calls, by the names of their functions. */
    private static Map<String, MethodType> types() {
        Map<String, MethodType> types = new HashMap<>();
        for (Method method : Calls.class.getDeclaredMethods()) {
            String name = "gs_" + method.getName().replaceAll("[A-Z]", "_$0").toLowerCase(Locale.ROOT);
            types.put(name, MethodType.methodType(method.getReturnType(), method.getParameterTypes()));
        }
        return types;
    }

    /** A handle that takes longs and returns a long, in place of the ints of the type. */
    private static MethodHandle handle(
            SymbolLookup library, String name, MethodType type, Linker.Option... options) {
        MethodType longs = MethodType.methodType(long.class, Collections.nCopies(type.parameterCount(), long.class));
        MemorySegment address = library.find(name).orElse(null);
        if (address == null) {
            // Fails when it is called, so that an older library serves for the other functions.
            MethodHandle thrower = MethodHandles.throwException(long.class, UnsupportedOperationException.class)
                    .bindTo(new UnsupportedOperationException("the loaded native library has no " + name));
            return MethodHandles.dropArguments(thrower, 0, longs.parameterList());
        }
        return MethodHandles.explicitCastArguments(LINKER.downcallHandle(address, descriptor(type), options), longs);
    }

    static FunctionDescriptor descriptor(MethodType type) {
        MemoryLayout[] parameters =
                Arrays.stream(type.parameterArray()).map(Symbols::layout).toArray(MemoryLayout[]::new);
        return type.returnType() == void.class
                ? FunctionDescriptor.ofVoid(parameters)
                : FunctionDescriptor.of(layout(type.returnType()), parameters);
    }

    private static MemoryLayout layout(Class<?> type) {
        return type == int.class ? ValueLayout.JAVA_INT : ValueLayout.JAVA_LONG;
    }

    // One method for each number of arguments: where a caller's handle is constant, compiled code calls the function.

    static long call(MethodHandle function) {
        try {
            return (long) function.invokeExact();
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a) {
        try {
            return (long) function.invokeExact(a);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a, long b) {
        try {
            return (long) function.invokeExact(a, b);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a, long b, long c) {
        try {
            return (long) function.invokeExact(a, b, c);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a, long b, long c, long d) {
        try {
            return (long) function.invokeExact(a, b, c, d);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a, long b, long c, long d, long e) {
        try {
            return (long) function.invokeExact(a, b, c, d, e);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) function.invokeExact(a, b, c, d, e, f);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    static long call(MethodHandle function, long a, long b, long c, long d, long e, long f, long g) {
        try {
            return (long) function.invokeExact(a, b, c, d, e, f, g);
        } catch (Throwable error) {
            throw broken(error);
        }
    }

    /** What to throw for an exception of a handle, which is unchecked but not declared so. */
    private static RuntimeException broken(Throwable error) {
        if (error instanceof RuntimeException exception) {
            return exception;
        }
        if (error instanceof Error serious) {
            throw serious;
        }
        return new IllegalStateException(error);
    }
}

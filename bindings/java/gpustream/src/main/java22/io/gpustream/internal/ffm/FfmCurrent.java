// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.CurrentCalls;
import java.lang.invoke.MethodHandle;

/** The current stream of the calling thread, and the default streams. One static handle per function,
        which the compiler of the virtual machine sees through. */
final class FfmCurrent implements CurrentCalls {
    private static final MethodHandle DEFAULT_STREAM =
            Symbols.plain("gs_default_stream", int.class, int.class, long.class);
    private static final MethodHandle PER_THREAD_STREAM =
            Symbols.plain("gs_per_thread_stream", int.class, int.class, long.class);
    private static final MethodHandle CURRENT_STREAM =
            Symbols.plain("gs_current_stream", int.class, int.class, long.class);
    private static final MethodHandle SET_CURRENT_STREAM =
            Symbols.plain("gs_set_current_stream", int.class, long.class);
    private static final MethodHandle EXCHANGE_CURRENT_STREAM =
            Symbols.plain("gs_exchange_current_stream", int.class, long.class, long.class);
    private static final MethodHandle PUSH_CURRENT_STREAM =
            Symbols.plain("gs_push_current_stream", int.class, long.class, long.class);
    private static final MethodHandle POP_CURRENT_STREAM =
            Symbols.plain("gs_pop_current_stream", int.class, long.class);
    private static final MethodHandle UNWIND_CURRENT_STREAM =
            Symbols.plain("gs_unwind_current_stream", int.class, long.class);

    @Override
    public int defaultStream(int device, long outStream) {
        try {
            return (int) DEFAULT_STREAM.invokeExact(device, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int perThreadStream(int device, long outStream) {
        try {
            return (int) PER_THREAD_STREAM.invokeExact(device, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int currentStream(int device, long outStream) {
        try {
            return (int) CURRENT_STREAM.invokeExact(device, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int setCurrentStream(long stream) {
        try {
            return (int) SET_CURRENT_STREAM.invokeExact(stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int exchangeCurrentStream(long stream, long outPrevious) {
        try {
            return (int) EXCHANGE_CURRENT_STREAM.invokeExact(stream, outPrevious);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int pushCurrentStream(long stream, long outScope) {
        try {
            return (int) PUSH_CURRENT_STREAM.invokeExact(stream, outScope);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int popCurrentStream(long scope) {
        try {
            return (int) POP_CURRENT_STREAM.invokeExact(scope);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int unwindCurrentStream(long scope) {
        try {
            return (int) UNWIND_CURRENT_STREAM.invokeExact(scope);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}

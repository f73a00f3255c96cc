// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.CurrentCalls;

/** The current stream of the calling thread, and the default streams. Calls the methods that SWIG generated. */
final class JniCurrent implements CurrentCalls {
    @Override
    public int defaultStream(int device, long outStream) {
        return GpustreamJni.gs_default_stream(device, outStream);
    }

    @Override
    public int perThreadStream(int device, long outStream) {
        return GpustreamJni.gs_per_thread_stream(device, outStream);
    }

    @Override
    public int currentStream(int device, long outStream) {
        return GpustreamJni.gs_current_stream(device, outStream);
    }

    @Override
    public int setCurrentStream(long stream) {
        return GpustreamJni.gs_set_current_stream(stream);
    }

    @Override
    public int exchangeCurrentStream(long stream, long outPrevious) {
        return GpustreamJni.gs_exchange_current_stream(stream, outPrevious);
    }

    @Override
    public int pushCurrentStream(long stream, long outScope) {
        return GpustreamJni.gs_push_current_stream(stream, outScope);
    }

    @Override
    public int popCurrentStream(long scope) {
        return GpustreamJni.gs_pop_current_stream(scope);
    }

    @Override
    public int unwindCurrentStream(long scope) {
        return GpustreamJni.gs_unwind_current_stream(scope);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/** The fake CUDA driver, called past gpustream: the other library of a test. */
final class FakeDriver {
    private static final NativeLibrary LIBRARY = NativeLibrary.getInstance(System.getenv("GPUSTREAM_LIBCUDA"));

    private FakeDriver() {}

    private static void call(String function, Object... arguments) {
        assertEquals(0, LIBRARY.getFunction(function).invokeInt(arguments), function);
    }

    /** A stream in the primary context of a device, made by somebody else. */
    static long newStream(int device) {
        call("cuInit", 0);
        PointerByReference context = new PointerByReference();
        PointerByReference stream = new PointerByReference();
        call("cuDevicePrimaryCtxRetain", context, device);
        call("cuCtxPushCurrent_v2", context.getValue());
        call("cuStreamCreate", stream, 1);
        call("cuCtxPopCurrent_v2", context);
        return Pointer.nativeValue(stream.getValue());
    }

    static void destroyStream(long stream) {
        call("cuStreamDestroy_v2", new Pointer(stream));
    }

    /** Begins a capture of a stream, as another library would: relaxed, so that it may end on any thread. */
    static void beginCapture(long stream) {
        call("cuStreamBeginCapture_v2", new Pointer(stream), 2);
    }

    /** Ends the capture and throws the graph away. */
    static void endCapture(long stream) {
        PointerByReference graph = new PointerByReference();
        call("cuStreamEndCapture", new Pointer(stream), graph);
        call("cuGraphDestroy", graph.getValue());
    }

    /** A kernel of somebody went wrong on a device. */
    static void breakDevice(int device, int code) {
        LIBRARY.getFunction("fake_cuda_break_device").invokeVoid(new Object[] {device, code});
    }

    /** Rules that gpustream broke towards the driver; 0 if none. */
    static long violations() {
        return LIBRARY.getFunction("fake_cuda_violations").invokeLong(new Object[] {null, 0L});
    }

    /** Objects of a kind that exist: 0 streams, 1 events. */
    static long live(int kind) {
        return LIBRARY.getFunction("fake_cuda_live").invokeLong(new Object[] {kind});
    }
}

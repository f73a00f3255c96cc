// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/** The fake CUDA driver, called directly, as another library of the process would. */
final class FakeDriver {
    private static final NativeLibrary LIBRARY = NativeLibrary.getInstance(System.getenv("GPUSTREAM_LIBCUDA"));

    private FakeDriver() {}

    private static void call(String function, Object... arguments) {
        assertEquals(0, LIBRARY.getFunction(function).invokeInt(arguments), function);
    }

    /** Creates a stream in a device's primary context that gpustream does not know. */
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

    /** Ends the capture and discards the graph. */
    static void endCapture(long stream) {
        PointerByReference graph = new PointerByReference();
        call("cuStreamEndCapture", new Pointer(stream), graph);
        call("cuGraphDestroy", graph.getValue());
    }

    /** Lets a kernel of another library fail on a device. */
    static void breakDevice(int device, int code) {
        LIBRARY.getFunction("fake_cuda_break_device").invokeVoid(new Object[] {device, code});
    }

    /** The driver's rules that gpustream broke, a line each; "" if none. */
    static String violations() {
        byte[] text = new byte[4096];
        LIBRARY.getFunction("fake_cuda_violations").invokeLong(new Object[] {text, (long) text.length});
        return com.sun.jna.Native.toString(text);
    }

    /** The same, which are none then. */
    static String takeViolations() {
        String taken = violations();
        LIBRARY.getFunction("fake_cuda_clear_violations").invokeVoid(new Object[0]);
        return taken;
    }

    /** The number of live objects: 0 streams, 1 events. */
    static long live(int kind) {
        return LIBRARY.getFunction("fake_cuda_live").invokeLong(new Object[] {kind});
    }
}

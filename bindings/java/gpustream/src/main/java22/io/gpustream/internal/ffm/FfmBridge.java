// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Bridge;
import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Upcalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/** One upcall stub for each kind of function, never freed; a number tells it which Java object is meant. */
final class FfmBridge implements Bridge {
    private static final MethodHandle OPEN =
            Symbols.gate("gs_java_open", long.class, long.class, long.class, long.class, long.class);
    private static final MethodHandle RECEIVE_LOG = Symbols.gate("gs_java_receive_log", int.class, long.class);
    private static final MethodHandle NOTIFY =
            Symbols.gate("gs_java_notify", int.class, long.class, long.class, long.class);
    private static final MethodHandle CALL_ON_INIT =
            Symbols.gate("gs_java_call_on_init", int.class, long.class, long.class);
    private static final MethodHandle FROM_NATIVE_OWNED = Symbols.gate(
            "gs_java_stream_from_native_owned", int.class, long.class, int.class, long.class, long.class, long.class);
    private static final MethodHandle EVENT_FROM_NATIVE_OWNED = Symbols.gate(
            "gs_java_event_from_native_owned", int.class, long.class, int.class, long.class, long.class, long.class);
    private static final MethodHandle BRIDGE_REGISTER = Symbols.gate(
            "gs_java_bridge_register", int.class, long.class, long.class, int.class, long.class, int.class, long.class);
    private static final MethodHandle GRAPH_KEEP =
            Symbols.gate("gs_java_graph_keep", int.class, long.class, long.class, long.class);
    private static final MethodHandle DEFER =
            Symbols.gate("gs_java_defer", int.class, long.class, long.class, long.class);
    private static final MethodHandle HOST_FUNCTION =
            Symbols.gate("gs_java_host_function", long.class);
    private static final MethodHandle REPORT_FUNCTION = Symbols.gate("gs_java_report_function", long.class);
    private static final MethodHandle ARGUMENT =
            Symbols.gate("gs_java_argument", long.class, long.class, long.class);
    private static final MethodHandle RAN = Symbols.gate("gs_java_ran", void.class, long.class);
    private static final MethodHandle GRAPH_DOT = Symbols.gate("gs_java_graph_dot", int.class, long.class, long.class);
    private static final MethodHandle TRACE_TEXT =
            Symbols.gate("gs_java_trace_text", int.class, long.class, long.class);
    private static final MethodHandle FREE = Symbols.gate("gs_java_free", void.class, long.class);
    private static final MethodHandle TAKE = Symbols.gate("gs_java_take", int.class, long.class, long.class);
    private static final MethodHandle CLOSE = Symbols.gate("gs_java_close", void.class, long.class);

    private static final long LOGGED = stub(FfmBridge.class, "logged", void.class, int.class, long.class);
    private static final long RELEASED = stub(Upcalls.class, "released", void.class, long.class);
    private static final long INITIALISED = stub(Upcalls.class, "initialised", int.class, long.class);
    private static final long BRIDGED =
            stub(Upcalls.class, "bridged", long.class, long.class, int.class, int.class, long.class);

    private final long side;

    FfmBridge() {
        try {
            side = (long) OPEN.invokeExact(LOGGED, RELEASED, INITIALISED, BRIDGED);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
        if (side == 0) {
            throw new OutOfMemoryError("no native memory for gpustream");
        }
    }

    private static long stub(Class<?> owner, String name, Class<?> result, Class<?>... parameters) {
        MethodType type = MethodType.methodType(result, parameters);
        try {
            MethodHandle target = MethodHandles.lookup().findStatic(owner, name, type);
            return Symbols.LINKER.upcallStub(target, Symbols.descriptor(type), Arena.global()).address();
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static void logged(int level, long text) {
        try {
            Upcalls.logged(level, Symbols.text(text));
        } catch (Throwable thrown) {
            Callbacks.report("a message of gpustream was lost", thrown);
        }
    }

    @Override
    public long addressOf(ByteBuffer directBuffer) {
        // Of the whole buffer: a segment starts at the buffer's position.
        return MemorySegment.ofBuffer(directBuffer.duplicate().clear()).address();
    }

    @Override
    public ByteBuffer bufferOf(long address, int bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes).asByteBuffer();
    }

    @Override
    public byte[] bytesAt(long address) {
        MemorySegment text = MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE);
        long length = 0;
        while (text.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public int receiveLog() {
        try {
            return (int) RECEIVE_LOG.invokeExact(side);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int notifyOn(long stream, long number) {
        try {
            return (int) NOTIFY.invokeExact(side, stream, number);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int callOnInit(long number) {
        try {
            return (int) CALL_ON_INIT.invokeExact(side, number);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int fromNativeOwned(int device, long nativeHandle, long number, long outStream) {
        try {
            return (int) FROM_NATIVE_OWNED.invokeExact(side, device, nativeHandle, number, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventFromNativeOwned(int device, long nativeHandle, long number, long outEvent) {
        try {
            return (int) EVENT_FROM_NATIVE_OWNED.invokeExact(side, device, nativeHandle, number, outEvent);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int bridgeRegister(long name, int backend, long number, int parts, long outBridge) {
        try {
            return (int) BRIDGE_REGISTER.invokeExact(side, name, backend, number, parts, outBridge);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int graphKeep(long graph, long number) {
        try {
            return (int) GRAPH_KEEP.invokeExact(side, graph, number);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int defer(long stream, long number) {
        try {
            return (int) DEFER.invokeExact(side, stream, number);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public long hostFunction() {
        try {
            return (long) HOST_FUNCTION.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public long reportFunction() {
        try {
            return (long) REPORT_FUNCTION.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public long hostArgument(long number) {
        try {
            return (long) ARGUMENT.invokeExact(side, number);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public void ran(long ticket) {
        try {
            RAN.invokeExact(ticket);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int graphDot(long graph, long out) {
        try {
            return (int) GRAPH_DOT.invokeExact(graph, out);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int traceText(long trace, long out) {
        try {
            return (int) TRACE_TEXT.invokeExact(trace, out);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int take(long out) {
        try {
            return (int) TAKE.invokeExact(side, out);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public void close() {
        try {
            CLOSE.invokeExact(side);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Bridge;
import io.gpustream.internal.Upcalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/** One upcall stub for each kind of function, never freed; a number tells it which Java object is meant. */
final class FfmBridge extends Bridge {
    private static final MethodHandle OPEN =
            Symbols.gate("gs_java_open", long.class, long.class, long.class, long.class, long.class);
    private static final MethodHandle NOTIFY =
            Symbols.gate("gs_java_notify", int.class, long.class, long.class, long.class);
    private static final MethodHandle BRIDGE_REGISTER = Symbols.gate(
            "gs_java_bridge_register", int.class, long.class, long.class, int.class, long.class, int.class, long.class);
    private static final MethodHandle FUNCTION = Symbols.gate("gs_java_function", long.class, int.class);
    private static final MethodHandle ARGUMENT = Symbols.gate("gs_java_argument", long.class, long.class, long.class);
    private static final MethodHandle RAN = Symbols.gate("gs_java_ran", void.class, long.class);
    private static final MethodHandle FREE = Symbols.gate("gs_java_free", void.class, long.class);
    private static final MethodHandle TAKE = Symbols.gate("gs_java_take", int.class, long.class, long.class);
    private static final MethodHandle CLOSE = Symbols.gate("gs_java_close", void.class, long.class);

    private static final long LOGGED = stub("logged", void.class, int.class, long.class);
    private static final long RELEASED = stub("released", void.class, long.class);
    private static final long INITIALISED = stub("initialised", int.class, long.class);
    private static final long BRIDGED = stub("bridged", long.class, long.class, int.class, int.class, long.class);

    private long side;

    @Override
    public boolean open() {
        side = Symbols.call(OPEN, LOGGED, RELEASED, INITIALISED, BRIDGED);
        return side != 0;
    }

    private static long stub(String name, Class<?> result, Class<?>... parameters) {
        MethodType type = MethodType.methodType(result, parameters);
        try {
            MethodHandle target = MethodHandles.lookup().findStatic(Upcalls.class, name, type);
            return Symbols.LINKER.upcallStub(target, Symbols.descriptor(type), Arena.global()).address();
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
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
    public int notifyOn(long stream, long number) {
        return (int) Symbols.call(NOTIFY, side, stream, number);
    }

    @Override
    public int bridgeRegister(long name, int backend, long number, int parts, long outBridge) {
        return (int) Symbols.call(BRIDGE_REGISTER, side, name, backend, number, parts, outBridge);
    }

    @Override
    public long function(int which) {
        return Symbols.call(FUNCTION, which);
    }

    @Override
    public long argument(long number) {
        return Symbols.call(ARGUMENT, side, number);
    }

    @Override
    public void ran(long ticket) {
        Symbols.call(RAN, ticket);
    }

    @Override
    public void free(long address) {
        Symbols.call(FREE, address);
    }

    @Override
    public int take(long out) {
        return (int) Symbols.call(TAKE, side, out);
    }

    @Override
    public void close() {
        Symbols.call(CLOSE, side);
    }
}

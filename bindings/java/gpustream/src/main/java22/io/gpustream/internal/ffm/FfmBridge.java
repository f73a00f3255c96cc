// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Bridge;
import io.gpustream.internal.Callbacks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/** One upcall stub for each kind of function, for the life of the process: which Java object is meant,
        its number says. */
final class FfmBridge implements Bridge {
    private static final long RELEASED = stub("released", void.class, long.class);
    private static final long INITIALISED = stub("initialised", int.class, long.class);
    private static final long NOTIFIED = stub("notified", void.class, long.class, int.class);
    private static final long LOGGED = stub("logged", void.class, long.class, int.class, long.class);

    private static long stub(String name, Class<?> result, Class<?>... parameters) {
        MethodType type = MethodType.methodType(result, parameters);
        Class<?> owner = name.equals("logged") ? FfmBridge.class : Callbacks.class;
        try {
            MethodHandle target = MethodHandles.lookup().findStatic(owner, name, type);
            return Symbols.LINKER.upcallStub(target, Symbols.descriptor(type), Arena.global()).address();
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static void logged(long argument, int level, long text) {
        try {
            Callbacks.logged(level, Symbols.text(text));
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
    public long releaseFunction() {
        return RELEASED;
    }

    @Override
    public long initFunction() {
        return INITIALISED;
    }

    @Override
    public long notifyFunction() {
        return NOTIFIED;
    }

    @Override
    public long logFunction() {
        return LOGGED;
    }
}

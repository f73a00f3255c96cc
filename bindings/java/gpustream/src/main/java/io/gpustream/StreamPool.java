// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fixed number of streams, given out by their index or in turn.
 *
 * <p>For programs that spread work over a few streams and need them more often than there are streams. {@code get(i)} is the
 * same stream for the same {@code i}. {@link #next()} takes turns; another part of the program may get the same stream. A
 * stream for one user comes from {@link Stream#create()}. Threads may share a pool, which owns and closes its streams.
 */
public final class StreamPool implements AutoCloseable, Iterable<Stream> {
    private final Stream[] streams;
    private final AtomicInteger turns = new AtomicInteger();

    private StreamPool(Stream[] streams) {
        this.streams = streams;
    }

    /**
     * Creates a pool of streams of the calling thread's current device.
     *
     * @param size how many streams, at least 1
     * @return the pool
     * @throws IllegalArgumentException if the size is below 1
     * @throws GpuStreamException as {@link StreamBuilder#build()}
     */
    public static StreamPool create(int size) {
        return create(size, Stream.builder());
    }

    /**
     * Creates a pool of streams with given settings: all of them or none.
     *
     * @param size how many streams, at least 1
     * @param settings used for each of them
     * @return the pool
     * @throws IllegalArgumentException if the size is below 1
     * @throws GpuStreamException as {@link StreamBuilder#build()}
     */
    public static StreamPool create(int size, StreamBuilder settings) {
        Objects.requireNonNull(settings, "settings");
        if (size < 1) {
            throw new IllegalArgumentException("a pool has at least 1 stream, not " + size);
        }
        StreamPool pool = new StreamPool(new Stream[size]);
        try {
            Arrays.setAll(pool.streams, index -> settings.build());
        } catch (Throwable failure) {
            pool.close();
            throw failure;
        }
        return pool;
    }

    /**
     * {@return the stream with an index}
     *
     * @param index any number, modulo {@link #size()}
     */
    public Stream get(int index) {
        return streams[Math.floorMod(index, streams.length)];
    }

    /** {@return the next stream in turn, on whatever thread} */
    public Stream next() {
        return streams[Integer.remainderUnsigned(turns.getAndIncrement(), streams.length)];
    }

    /** {@return how many streams there are} */
    public int size() {
        return streams.length;
    }

    /** {@return the streams, each once} */
    @Override
    public Iterator<Stream> iterator() {
        return Arrays.asList(streams).iterator();
    }

    /** Closes the streams. Work submitted is still done. Closing twice has no effect. */
    @Override
    public void close() {
        for (Stream stream : streams) {
            if (stream != null) { // of a pool whose creation failed
                stream.close();
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;

/**
 * The switch of a profiler that is attached to the process, as cuProfilerStart and cuProfilerStop: for {@code nsys profile
 * --capture-range=cudaProfilerApi} and the like. It is the process's and does not count. On the host backend nothing happens.
 *
 * <p>Any thread may call any method; none waits for device work.
 */
public final class Profiler {
    private Profiler() {}

    /**
     * The profiler collects from now on.
     *
     * @throws GpuStreamException NOT_SUPPORTED (the driver has no such function)
     */
    public static void start() {
        Failure.check(Native.CALLS.profilerStart());
    }

    /**
     * The profiler collects no more.
     *
     * @throws GpuStreamException as {@link #start()}
     */
    public static void stop() {
        Failure.check(Native.CALLS.profilerStop());
    }
}

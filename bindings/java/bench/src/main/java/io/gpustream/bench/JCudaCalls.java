// SPDX-License-Identifier: Apache-2.0
package io.gpustream.bench;

import io.gpustream.Backend;
import io.gpustream.Device;
import io.gpustream.Stream;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The same through JCuda, which calls the driver each time. The driver is LD_LIBRARY_PATH's libcuda.so.1. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JCudaCalls {
    private final CUstream stream = new CUstream();
    private final CUstream other = new CUstream();
    private final CUevent event = new CUevent();
    private final CUevent complete = new CUevent();
    private final CUevent start = new CUevent();
    private final CUevent end = new CUevent();
    private final float[] milliseconds = new float[1];

    @Setup
    public void make() {
        // The primary context exists once gpustream has created a stream in it.
        Stream keeper = Stream.create(Device.of(Backend.CUDA, 0));
        keeper.query();
        JCudaDriver.setExceptionsEnabled(true);
        JCudaDriver.cuInit(0);
        CUdevice device = new CUdevice();
        CUcontext context = new CUcontext();
        JCudaDriver.cuDeviceGet(device, 0);
        JCudaDriver.cuDevicePrimaryCtxRetain(context, device);
        JCudaDriver.cuCtxSetCurrent(context);
        JCudaDriver.cuStreamCreate(stream, 1);
        JCudaDriver.cuStreamCreate(other, 1);
        JCudaDriver.cuEventCreate(event, 2);
        JCudaDriver.cuEventCreate(complete, 2);
        JCudaDriver.cuEventCreate(start, 0);
        JCudaDriver.cuEventCreate(end, 0);
        JCudaDriver.cuEventRecord(complete, stream);
        JCudaDriver.cuEventRecord(start, stream);
        JCudaDriver.cuEventRecord(end, stream);
        JCudaDriver.cuStreamSynchronize(stream);
    }

    @Benchmark
    public int eventRecord() {
        return JCudaDriver.cuEventRecord(event, stream);
    }

    @Benchmark
    public int waitSameStream() {
        return JCudaDriver.cuStreamWaitEvent(stream, complete, 0);
    }

    @Benchmark
    public int waitComplete() {
        return JCudaDriver.cuStreamWaitEvent(other, complete, 0);
    }

    @Benchmark
    public int queryComplete() {
        return JCudaDriver.cuEventQuery(complete);
    }

    @Benchmark
    public int streamQuery() {
        return JCudaDriver.cuStreamQuery(stream);
    }

    @Benchmark
    public int elapsed() {
        return JCudaDriver.cuEventElapsedTime(milliseconds, start, end);
    }

    @Benchmark
    public int eventCreateDestroy() {
        CUevent created = new CUevent();
        JCudaDriver.cuEventCreate(created, 2);
        return JCudaDriver.cuEventDestroy(created);
    }

    @Benchmark
    public int streamCreateDestroy() {
        CUstream created = new CUstream();
        JCudaDriver.cuStreamCreate(created, 1);
        return JCudaDriver.cuStreamDestroy(created);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Field;
import java.nio.file.Path;
import jcuda.NativePointerObject;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** JCuda works on our streams and events, and we on its. */
@Tag("processes")
class InteropTest {
    /** In a process whose libcuda.so.1 is the fake driver, for both libraries. */
    static final class WithJCuda {
        public static void main(String[] arguments) throws ReflectiveOperationException {
            JCudaDriver.setExceptionsEnabled(true);
            Device device = Device.of(Backend.CUDA, 0);
            try (Stream stream = Stream.create(device);
                    Stream waiter = Stream.create(device);
                    Event event = Event.create()) {
                // Ours, used by JCuda.
                CUstream theirs = wrap(new CUstream(), stream.nativeHandle());
                assertEquals(CUresult.CUDA_SUCCESS, JCudaDriver.cuStreamQuery(theirs));
                event.record(stream);
                CUevent theirEvent = wrap(new CUevent(), event.nativeHandle());
                try (Support.Gate gate = new Support.Gate(stream)) {
                    JCudaDriver.cuEventRecord(theirEvent, theirs);
                    JCudaDriver.setExceptionsEnabled(false);
                    assertEquals(CUresult.CUDA_ERROR_NOT_READY, JCudaDriver.cuStreamQuery(theirs));
                    JCudaDriver.setExceptionsEnabled(true);
                    // We wait for the record that JCuda made in our event.
                    assertEquals(false, event.query());
                    waiter.waitEvent(event);
                    assertEquals(false, waiter.query());
                    gate.open();
                }
                JCudaDriver.cuStreamSynchronize(theirs);
                waiter.synchronize();
            }
            // Theirs, used by us: the snippet of docs/guide/interop/jcuda.md.
            try (Stream ours = Stream.create(device);
                    Event done = Event.create()) {
                ours.setCurrent(); // JCuda acts in the current context
                CUstream stream = wrap(new CUstream(), ours.nativeHandle());
                JCudaDriver.cuStreamSynchronize(stream);

                CUstream made = new CUstream();
                JCudaDriver.cuStreamCreate(made, 1);
                try (Stream theirs = ExternalStream.owning(numberOf(made), device, () -> JCudaDriver.cuStreamDestroy(made))) {
                    done.record(theirs);
                    ours.waitEvent(done);
                }
                ours.synchronize();
            }
            assertEquals("", FakeDriver.violations());
            System.out.println("JCuda and gpustream work together");
        }

        // JCuda has no public way to make a handle object of a number; its users do this.
        private static <T extends NativePointerObject> T wrap(T object, long number)
                throws ReflectiveOperationException {
            field().setLong(object, number);
            return object;
        }

        private static long numberOf(NativePointerObject object) throws ReflectiveOperationException {
            return field().getLong(object);
        }

        private static Field field() throws ReflectiveOperationException {
            Field field = NativePointerObject.class.getDeclaredField("nativePointer");
            field.setAccessible(true);
            return field;
        }
    }

    @Test
    void jcudaAndGpustreamUseEachOthersHandles() {
        Path driver = Path.of(System.getenv("GPUSTREAM_LIBCUDA"));
        String output = new Child(WithJCuda.class)
                .environment("LD_LIBRARY_PATH", driver.getParent().toString())
                .output();
        assertEquals("JCuda and gpustream work together", output.strip());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;

/** A kind of device. */
public enum Backend {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** CPU threads with the semantics of CUDA. */
    HOST(Constants.BACKEND_HOST),
    /** NVIDIA GPUs. */
    CUDA(Constants.BACKEND_CUDA),
    /** AMD GPUs; the number is reserved, this version has no such backend. */
    HIP(Constants.BACKEND_HIP),
    // End of the generated list.
    ;

    private static final Backend[] VALUES = values();

    private final int code;

    Backend(int code) {
        this.code = code;
    }

    /** {@return the number that the C interface uses, also {@link StreamTriple#deviceType()}} */
    public int code() {
        return code;
    }

    /**
     * Returns the backend that plain device ordinals mean. {@code GPUSTREAM_BACKEND} decides; unset, it is CUDA if a
     * device is usable, else HOST. Starts nothing. Any thread.
     *
     * @return the default backend, final once a backend has started
     * @throws GpuStreamException INVALID_ARGUMENT if {@code GPUSTREAM_BACKEND} holds an unknown name
     */
    public static Backend defaultBackend() {
        return of(Call.forInt(out -> Native.CALLS.defaultBackend(out)));
    }

    /**
     * Counts the devices of this kind. Starts nothing. Any thread.
     *
     * @return 0 or more; trouble with the driver counts as 0
     * @throws GpuStreamException OUT_OF_MEMORY or INTERNAL only
     */
    public int deviceCount() {
        return Call.forInt(out -> Native.CALLS.deviceCount(code, out));
    }

    /**
     * {@return the backend with a number}
     *
     * @param code 1 to 3
     * @throws IllegalArgumentException if no backend has that number
     */
    public static Backend of(int code) {
        if (code < 1 || code > VALUES.length) {
            throw new IllegalArgumentException("no backend has the number " + code);
        }
        return VALUES[code - 1];
    }
}

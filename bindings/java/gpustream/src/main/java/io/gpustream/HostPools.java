// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.HashMap;
import java.util.Map;

/** One pool of page-locked memory for each device that was asked for it. They live as long as the process. */
final class HostPools {
    private static final Map<Integer, Long> POOLS = new HashMap<>(); // by device

    private static final int BEHIND_OPTIONS = (Layouts.POOL_OPTIONS.size() + 7) & ~7;

    private HostPools() {}

    /** Allocates in a stream. Returns a gs_status_t; the address is in the scratch memory. */
    static int allocate(Scratch scratch, long bytes, long stream) {
        int status = Native.CALLS.streamDevice(stream, scratch.address);
        if (status != 0) {
            return status;
        }
        int device = scratch.getInt();
        long pool;
        synchronized (POOLS) {
            pool = POOLS.getOrDefault(device, 0L);
            if (pool == 0) {
                status = create(scratch, device);
                if (status != 0) {
                    return status;
                }
                pool = scratch.getLong(BEHIND_OPTIONS);
                POOLS.put(device, pool);
            }
        }
        return Native.CALLS.poolMalloc(pool, bytes, stream, scratch.address);
    }

    private static int create(Scratch scratch, int device) {
        long options = Layouts.POOL_OPTIONS.prepare(scratch);
        scratch.putInt(Layouts.POOL_OPTIONS.fields().get("flags").offset(), Constants.POOL_HOST);
        return Native.CALLS.poolCreate(device, options, scratch.at(BEHIND_OPTIONS));
    }
}

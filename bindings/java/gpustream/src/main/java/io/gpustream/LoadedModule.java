// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.lifetime.Leak;

/** What a {@link KernelModule} shares with its kernels: unloaded once, and reachable while one of them is. */
final class LoadedModule {
    final Device device;
    final long number;
    final Leak leak;

    LoadedModule(Device device, long number) {
        this.device = device;
        this.number = number;
        leak = new Leak(this, "the module", " of kernels");
    }
}

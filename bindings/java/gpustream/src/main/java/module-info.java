// SPDX-License-Identifier: Apache-2.0
/** Devices, streams, events and the per-thread current stream of GPU programs. */
module io.gpustream {
    exports io.gpustream;
}

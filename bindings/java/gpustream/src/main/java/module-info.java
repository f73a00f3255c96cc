// SPDX-License-Identifier: Apache-2.0
/** Devices, streams, events and the per-thread current stream of GPU programs. */
module io.gpustream {
    requires static jdk.jfr; // ranges, marks and waits become its events where it is present

    exports io.gpustream;
}

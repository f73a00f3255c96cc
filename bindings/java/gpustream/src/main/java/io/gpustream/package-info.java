// SPDX-License-Identifier: Apache-2.0
/**
 * Devices, streams, events and the per-thread current stream over one native library that all languages of a process
 * share.
 *
 * <p>Start with {@link io.gpustream.Stream} and {@link io.gpustream.Event}; {@link io.gpustream.StreamScope} sets the
 * current stream for a block of code. Times are milliseconds, sizes bytes. Failures are {@link
 * io.gpustream.GpuStreamException}; using a closed object is {@link IllegalStateException}.
 *
 * <p>On Java 22 and newer {@code Stream}, {@code Event} and {@code Memory} have further methods with
 * {@code java.lang.foreign.MemorySegment}.
 */
package io.gpustream;

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * Memory of a device at one moment, over all processes.
 *
 * @param usedBytes in use, bytes; what the driver reserves for itself counts
 * @param freeBytes free, bytes
 * @param totalBytes all, bytes
 */
public record MemoryUsage(long usedBytes, long freeBytes, long totalBytes) {}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * A stream as three plain numbers, for another language or library in the same process. Keeps nothing alive;
 * meaningless in other processes.
 *
 * @param id {@link Stream#id()}: 0 default stream, 2 per-thread stream, else unique and above 2^48
 * @param deviceIndex ordinal of the device within its backend
 * @param deviceType {@link Backend#code()}
 */
public record StreamTriple(long id, int deviceIndex, int deviceType) {}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * When an event's record was done, by the host's clock: {@link Event#hostTime}.
 *
 * @param ns CLOCK_MONOTONIC, nanoseconds; on Linux the clock of {@link System#nanoTime()}
 * @param errorNs the true time lies this many nanoseconds before or after at most
 */
public record HostTime(long ns, long errorNs) {}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * Stream priorities of a device. A lower number is a higher priority; both are 0 if the device has none.
 *
 * @param least the number of the lowest priority, {@code >= greatest}
 * @param greatest the number of the highest priority
 */
public record PriorityRange(int least, int greatest) {}

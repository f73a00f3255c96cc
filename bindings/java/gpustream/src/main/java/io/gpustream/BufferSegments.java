// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * What {@link StreamBuffer} has besides its own methods where Java has java.lang.foreign: the archive holds a second form
 * of this interface for Java 22 and newer. This form is empty.
 */
interface BufferSegments {}

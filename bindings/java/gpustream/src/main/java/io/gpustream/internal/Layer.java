// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * One way to call the library: JNI, or java.lang.foreign (FFM). Both serve the same public classes.
 *
 * @param name "jni" or "ffm"
 * @param calls the functions of the header
 * @param bridge native memory and upcalls
 */
public record Layer(String name, Calls calls, Bridge bridge) {}

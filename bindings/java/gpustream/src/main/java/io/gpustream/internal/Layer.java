// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/** One way to call the library: JNI, or java.lang.foreign (FFM). Both serve the same public classes. */
public interface Layer {
    /** "jni" or "ffm". */
    String name();

    /** The functions of the header. */
    Calls calls();

    /** Native memory and upcalls. */
    Bridge bridge();
}

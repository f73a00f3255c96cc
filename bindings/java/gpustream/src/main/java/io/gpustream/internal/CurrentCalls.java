// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * The current stream of the calling thread, and the default streams.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface CurrentCalls {
    int defaultStream(int device, long outStream);

    int perThreadStream(int device, long outStream);

    int currentStream(int device, long outStream);

    int setCurrentStream(long stream);

    int exchangeCurrentStream(long stream, long outPrevious);

    int pushCurrentStream(long stream, long outScope);

    int popCurrentStream(long scope);

    int unwindCurrentStream(long scope);
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Bridge;
import io.gpustream.internal.Calls;
import io.gpustream.internal.Layer;

/** The layer for Java 22 and newer: java.lang.foreign. Only upcalls need native code of the binding. */
public final class FfmLayer implements Layer {
    private final Bridge bridge = new FfmBridge();

    @Override
    public String name() {
        return "ffm";
    }

    @Override
    public Calls calls() {
        return new FfmCalls();
    }

    @Override
    public Bridge bridge() {
        return bridge;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Layer;
import java.util.function.Supplier;

/** The layer for Java 22 and newer: java.lang.foreign. Only upcalls need native code of the binding. */
public final class FfmLayer implements Supplier<Layer> {
    @Override
    public Layer get() {
        return new Layer("ffm", new FfmCalls(), new FfmBridge());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * The layer of this virtual machine, loaded by the first use of this class. Static finals, so that compiled code calls
 * the layer's methods directly.
 */
public final class Native {
    public static final Layer LAYER = Layer.load();
    public static final Calls CALLS = LAYER.calls();
    public static final Bridge BRIDGE = LAYER.bridge();

    private Native() {}
}

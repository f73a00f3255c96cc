// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * The layer of this virtual machine, loaded by the first use of this class. Static finals, so that compiled code calls
 * the layer's methods directly.
 */
public final class Native {
    public static final Layer LAYER = Layers.load();
    public static final Calls CALLS = LAYER.calls();
    public static final Bridge BRIDGE = LAYER.bridge();

    public static final Calls LIBRARY = CALLS;
    public static final Calls DEVICES = CALLS;
    public static final Calls STREAMS = CALLS;
    public static final Calls CURRENT = CALLS;
    public static final Calls EVENTS = CALLS;
    public static final Calls WORK = CALLS;
    public static final Calls TELEMETRY = CALLS;

    public static final int DEVICE_CURRENT = Constants.DEVICE_CURRENT;
    public static final int DEVICE_NONE = Constants.DEVICE_NONE;
    public static final long STREAM_CURRENT = Constants.STREAM_CURRENT;

    private Native() {}
}

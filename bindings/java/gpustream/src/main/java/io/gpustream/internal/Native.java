// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * The layer of this virtual machine, loaded when a class of gpustream first needs it. Static finals, so that compiled
 * code calls the layer's methods directly.
 */
public final class Native {
    public static final Layer LAYER = Layers.load();
    public static final LibraryCalls LIBRARY = LAYER.library();
    public static final DeviceCalls DEVICES = LAYER.devices();
    public static final StreamCalls STREAMS = LAYER.streams();
    public static final CurrentCalls CURRENT = LAYER.current();
    public static final EventCalls EVENTS = LAYER.events();
    public static final WorkCalls WORK = LAYER.work();
    public static final TelemetryCalls TELEMETRY = LAYER.telemetry();
    public static final Bridge BRIDGE = LAYER.bridge();

    /** {@code GS_DEVICE_CURRENT}. */
    public static final int DEVICE_CURRENT = -1;
    /** {@code GS_DEVICE_NONE}. */
    public static final int DEVICE_NONE = -2;
    /** {@code GS_STREAM_CURRENT}. */
    public static final long STREAM_CURRENT = 0x7000000000000001L;

    private Native() {}
}

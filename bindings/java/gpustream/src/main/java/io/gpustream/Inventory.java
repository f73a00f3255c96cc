// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The GPUs of the machine and their MIG instances, whether or not this process may use them. NVIDIA's management
 * library (NVML) is asked, never CUDA: nothing is initialised.
 *
 * <p>Methods that ask it throw {@link GpuStreamException} with UNAVAILABLE where it is absent or does not match the
 * kernel module, DRIVER if it fails.
 */
public final class Inventory {
    private Inventory() {}

    /**
     * How much there is.
     *
     * @param gpus GPUs: entries 0 to gpus - 1, by NVML's index
     * @param entries GPUs and MIG instances together
     */
    public record Count(int gpus, int entries) {}

    /** Counts GPUs and MIG instances. */
    public static Count count() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.TELEMETRY.inventoryCount(scratch.at(0), scratch.at(4)));
        return new Count(scratch.getInt(0), scratch.getInt(4));
    }

    /**
     * Describes one of them.
     *
     * @param index 0 or more, below {@link Count#entries}
     * @throws GpuStreamException INVALID_ARGUMENT (there is no such entry)
     */
    public static InventoryEntry get(int index) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.TELEMETRY.inventoryGet(index, Layouts.INVENTORY_ENTRY.prepare(scratch)));
        return InventoryEntry.read(scratch);
    }

    /**
     * Takes a {@code CUDA_VISIBLE_DEVICES} text apart, as CUDA does. Which devices exist is not looked at.
     *
     * @param value the text; null: the variable is not set, which gives 0 to 63
     * @return numbers as text, or beginnings of UUIDs
     */
    public static List<String> parseVisibleDevices(String value) {
        ByteBuffer text = value == null ? null : terminated(value);
        Scratch scratch = Scratch.get();
        int status = Native.TELEMETRY.parseVisibleDevices(
                text == null ? 0 : Native.BRIDGE.addressOf(text), scratch.address);
        Reference.reachabilityFence(text);
        Failure.check(status);
        return elements(scratch.getLong());
    }

    /**
     * Finds which of some UUIDs are meant by a list of beginnings. A candidate that fits none or several ends the list;
     * two for one UUID make it empty.
     *
     * @return positions among {@code uuids}
     * @throws IllegalArgumentException a name holds a NUL
     */
    public static List<Integer> matchUuids(List<String> candidates, List<String> uuids) {
        Objects.requireNonNull(candidates, "candidates");
        if (Objects.requireNonNull(uuids, "uuids").isEmpty() || candidates.isEmpty()) {
            return List.of(); // not the same as a list of one empty name, which is what joining would make of it
        }
        ByteBuffer wanted = terminated(String.join(",", candidates));
        ByteBuffer known = terminated(String.join(",", uuids));
        Scratch scratch = Scratch.get();
        int status = Native.TELEMETRY.matchUuids(
                Native.BRIDGE.addressOf(wanted), Native.BRIDGE.addressOf(known), scratch.address);
        Reference.reachabilityFence(wanted);
        Reference.reachabilityFence(known);
        Failure.check(status);
        return elements(scratch.getLong()).stream().map(Integer::valueOf).toList();
    }

    private static ByteBuffer terminated(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a value of the environment holds no NUL");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocateDirect(bytes.length + 1).put(0, bytes);
    }

    // The text is the library's until this thread's next call.
    private static List<String> elements(long address) {
        String joined = new String(Native.BRIDGE.bytesAt(address), StandardCharsets.UTF_8);
        return joined.isEmpty() ? List.of() : List.of(joined.split(","));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The GPUs of the machine and their MIG instances, whether or not this process may use them. NVIDIA's management library
 * (NVML) is asked, which may take milliseconds; CUDA is not initialised. Any thread may call any method.
 *
 * <p>Methods that ask NVML throw {@link GpuStreamException} with UNAVAILABLE where it is absent or does not match the
 * kernel module, DRIVER if it fails.
 */
public final class Inventory {
    private Inventory() {}

    /**
     * The size of the inventory.
     *
     * @param gpus GPUs: entries 0 to gpus - 1, by NVML's index
     * @param entries GPUs and MIG instances together
     */
    public record Count(int gpus, int entries) {}

    /**
     * Counts GPUs and MIG instances.
     *
     * @return both counts
     */
    public static Count count() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.inventoryCount(scratch.at(0), scratch.at(4)));
        return new Count(scratch.getInt(0), scratch.getInt(4));
    }

    /**
     * Describes a GPU or MIG instance. Asks NVML at each call, as MIG instances come and go.
     *
     * @param index 0 or more, below {@link Count#entries}
     * @return the entry
     * @throws GpuStreamException INVALID_ARGUMENT (there is no such entry)
     */
    public static InventoryEntry get(int index) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.inventoryGet(index, Layouts.INVENTORY_ENTRY.prepare(scratch)));
        return InventoryEntry.read(scratch);
    }

    /**
     * Parses a {@code CUDA_VISIBLE_DEVICES} text as CUDA does. Does not check which devices exist.
     *
     * @param value the text; null: the variable is not set, which yields 0 to 63
     * @return numbers as text, or beginnings of UUIDs
     * @throws IllegalArgumentException if the text holds a NUL
     */
    public static List<String> parseVisibleDevices(String value) {
        ByteBuffer text = value == null ? null : Call.terminated(value, "value");
        Scratch scratch = Scratch.get();
        Failure.check(
                Native.CALLS.parseVisibleDevices(text == null ? 0 : Native.BRIDGE.addressOf(text), scratch.address),
                text);
        return elements(scratch.getLong());
    }

    /**
     * Finds the UUIDs that a list of beginnings names. A candidate that fits none or several ends the list; two for one
     * UUID make it empty.
     *
     * @param candidates beginnings of UUIDs
     * @param uuids whole UUIDs
     * @return positions among {@code uuids}, from 0
     */
    public static List<Integer> matchUuids(List<String> candidates, List<String> uuids) {
        Objects.requireNonNull(uuids, "uuids");
        List<Integer> found = new ArrayList<>();
        for (String candidate : Objects.requireNonNull(candidates, "candidates")) {
            List<Integer> positions = IntStream.range(0, uuids.size())
                    .filter(position -> uuids.get(position).startsWith(candidate))
                    .boxed()
                    .toList();
            if (positions.size() != 1) {
                break;
            }
            if (found.contains(positions.get(0))) {
                return List.of();
            }
            found.add(positions.get(0));
        }
        return List.copyOf(found);
    }

    // The text is the library's until this thread's next call.
    private static List<String> elements(long address) {
        String joined = Native.BRIDGE.text(address);
        return joined.isEmpty() ? List.of() : List.of(joined.split(","));
    }
}

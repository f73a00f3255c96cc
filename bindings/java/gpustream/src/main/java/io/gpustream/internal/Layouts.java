// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the members of the header's structs are, in bytes. A test compares every number with the C compiler's. */
public final class Layouts {
    public static final Struct ERROR = new Struct("gs_error_info_t")
            .ints("status", "reason", "backend", "native_code", "sticky")
            .bytes("function", 64).bytes("native_function", 64).bytes("message", 512).bytes("origin", 256);

    public static final Struct STATS = new Struct("gs_stats_t")
            .ints("reserved")
            .longs("driver_calls", "records", "waits", "queries", "synchronizes", "elided_waits", "elided_queries",
                    "elided_synchronizes", "events_created", "event_pool_hits", "event_pool_misses", "streams_created",
                    "stream_pool_hits", "stream_pool_misses", "notifications", "reclaim_rounds");

    public static final Struct DEVICE = new Struct("gs_device_info_t")
            .ints("ordinal", "backend", "capability_major", "capability_minor", "multiprocessor_count", "warp_size",
                    "max_threads_per_block", "max_threads_per_multiprocessor", "regs_per_multiprocessor", "clock_khz",
                    "memory_clock_khz", "memory_bus_width_bits", "compute_mode", "integrated", "ecc_enabled", "is_mig",
                    "has_uuid", "has_pci", "pci_domain", "pci_bus", "pci_device", "priority_least", "priority_greatest")
            .longs("total_memory_bytes", "l2_cache_bytes", "shared_memory_per_block_bytes",
                    "shared_memory_per_block_optin_bytes", "shared_memory_per_multiprocessor_bytes")
            .bytes("uuid", 16).bytes("name", 256);

    public static final Struct INVENTORY = new Struct("gs_inventory_entry_t")
            .ints("status", "native_code", "nvml_index", "ordinal", "is_mig", "mig_index", "mig_enabled",
                    "capability_major", "capability_minor", "has_pci", "pci_domain", "pci_bus", "pci_device")
            .longs("total_memory_bytes")
            .bytes("uuid", 96).bytes("name", 96);

    public static final Struct LAUNCH = new Struct("gs_launch_config_t")
            .ints("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_memory_bytes");

    private Layouts() {}

    /** One struct that begins with {@code struct_size}, built member by member in the header's order. */
    public static final class Struct {
        /** Offset and size of a member, bytes. */
        public record Field(int offset, int bytes) {}

        public final String name;
        private final Map<String, Field> fields = new LinkedHashMap<>();
        private int end;
        private int alignment = 1;

        private Struct(String name) {
            this.name = name;
            ints("struct_size");
        }

        private Struct ints(String... names) {
            return add(4, 4, names);
        }

        private Struct longs(String... names) {
            return add(8, 8, names);
        }

        private Struct bytes(String field, int count) {
            return add(1, count, field);
        }

        private Struct add(int aligned, int bytes, String... names) {
            alignment = Math.max(alignment, aligned);
            for (String field : names) {
                int offset = rounded(end, aligned);
                fields.put(field, new Field(offset, bytes));
                end = offset + bytes;
            }
            return this;
        }

        private static int rounded(int number, int multiple) {
            return (number + multiple - 1) / multiple * multiple;
        }

        /** Size, bytes. */
        public int size() {
            return rounded(end, alignment);
        }

        public Map<String, Field> fields() {
            return fields;
        }

        /** Zeroes the thread's scratch memory and states the size in it; the address goes to the library. */
        public long prepare(Scratch scratch) {
            ByteBuffer memory = scratch.buffer();
            for (int offset = 0; offset < size(); offset += 4) {
                memory.putInt(offset, 0);
            }
            memory.putInt(0, size());
            return scratch.address;
        }

        public int getInt(Scratch scratch, String field) {
            return scratch.buffer().getInt(offset(field, 4));
        }

        public long getLong(Scratch scratch, String field) {
            return scratch.buffer().getLong(offset(field, 8));
        }

        public byte[] getBytes(Scratch scratch, String field) {
            Field found = fields.get(field);
            byte[] bytes = new byte[found.bytes];
            scratch.buffer().get(found.offset, bytes);
            return bytes;
        }

        /** A NUL-terminated UTF-8 text. */
        public String getText(Scratch scratch, String field) {
            byte[] bytes = getBytes(scratch, field);
            int length = 0;
            while (length < bytes.length && bytes[length] != 0) {
                length++;
            }
            return new String(bytes, 0, length, StandardCharsets.UTF_8);
        }

        private int offset(String field, int bytes) {
            Field found = fields.get(field);
            if (found == null || found.bytes != bytes) {
                throw new IllegalArgumentException(name + " has no " + bytes + "-byte member " + field);
            }
            return found.offset;
        }
    }
}

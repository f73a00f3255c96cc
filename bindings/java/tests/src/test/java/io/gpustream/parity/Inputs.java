// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.gpustream.internal.Native;
import io.gpustream.internal.Struct;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The inputs of one call, made from JSON, and the memory that they point to. */
final class Inputs {
    private final Values values;
    private final NativeLibrary natives;
    private final List<ByteBuffer> kept = new ArrayList<>();

    Inputs(Values values, NativeLibrary natives) {
        this.values = values;
        this.natives = natives;
    }

    static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** The number, or the address of what is not a number. */
    long address(Signatures.Parameter parameter, JsonElement json) {
        if (json.isJsonNull()) {
            return 0;
        }
        return switch (parameter.role()) {
            case FUNCTION -> Pointer.nativeValue(natives.getFunction(json.getAsString()));
            case ARGUMENTS -> keep(arguments(json.getAsJsonArray()));
            default -> {
                if (json.isJsonArray()) {
                    yield keep(elements(parameter, json.getAsJsonArray()));
                }
                if (json.isJsonObject()) {
                    yield keep(struct(parameter.struct(), json.getAsJsonObject()));
                }
                Object value = values.resolve(json);
                if (value instanceof String text) {
                    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                    yield keep(direct(bytes.length + 1).put(0, bytes));
                }
                if (value instanceof Values.Instance struct) {
                    yield keep(struct.bytes());
                }
                yield (Long) value;
            }
        };
    }

    private long keep(ByteBuffer buffer) {
        kept.add(buffer);
        return Native.BRIDGE.addressOf(buffer);
    }

    /** An array; an empty one has an address too. */
    private ByteBuffer elements(Signatures.Parameter parameter, JsonArray json) {
        int size = parameter.elementSize();
        ByteBuffer array = direct(size * json.size() + 1);
        for (int i = 0; i < json.size(); i++) {
            if (parameter.struct() != null) {
                ByteBuffer element =
                        json.get(i).isJsonObject()
                                ? struct(parameter.struct(), json.get(i).getAsJsonObject())
                                : ((Values.Instance) values.resolve(json.get(i))).bytes();
                array.put(size * i, element, 0, size);
            } else {
                put(array, size * i, size, json.get(i));
            }
        }
        return array;
    }

    /** A struct from an object of its members; the others are 0, and struct_size is set. */
    private ByteBuffer struct(Struct struct, JsonObject json) {
        if (struct == null) {
            throw new Values.Wrong("a struct where none is wanted");
        }
        ByteBuffer bytes = direct(struct.size());
        if (struct.fields().containsKey("struct_size")) {
            bytes.putInt(0, struct.size());
        }
        json.entrySet().forEach(member -> {
            Struct.Field field = struct.fields().get(member.getKey());
            if (field == null) {
                throw new Values.Wrong(struct.name + " has no field " + member.getKey());
            }
            put(bytes, field.offset(), field.bytes(), member.getValue());
        });
        return bytes;
    }

    private void put(ByteBuffer memory, int offset, int size, JsonElement json) {
        Object value = values.resolve(json);
        if (value instanceof String text) {
            byte[] bytes = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), size);
            bytes[size - 1] = 0;
            memory.put(offset, bytes);
        } else if (size == 4) {
            memory.putInt(offset, (int) (long) value);
        } else {
            memory.putLong(offset, (Long) value);
        }
    }

    // [["u32", 3], ["pointer", "$p"]]: pointers first, then the values, eight bytes each.
    private ByteBuffer arguments(JsonArray json) {
        int count = json.size();
        ByteBuffer block = direct(16 * count + 8);
        for (int i = 0; i < count; i++) {
            block.putLong(8 * i, Native.BRIDGE.addressOf(block) + 8L * (count + i));
            block.putLong(8 * (count + i), (Long) values.resolve(json.get(i).getAsJsonArray().get(1)));
        }
        return block;
    }
}

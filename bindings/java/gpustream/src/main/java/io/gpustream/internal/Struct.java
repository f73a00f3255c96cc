// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The layout of one struct of gpustream.h, and access to such a struct in a thread's scratch memory. */
public final class Struct {
    /** Offset and size of a member, bytes. */
    public record Field(int offset, int bytes) {}

    public final String name;
    private final int size;
    private final Map<String, Field> fields = new LinkedHashMap<>();

    Struct(String name, int size) {
        this.name = name;
        this.size = size;
    }

    Struct field(String field, int offset, int bytes) {
        fields.put(field, new Field(offset, bytes));
        return this;
    }

    /** Size, bytes. */
    public int size() {
        return size;
    }

    /** The members in the header's order. */
    public Map<String, Field> fields() {
        return Collections.unmodifiableMap(fields);
    }

    /** Zeroes a struct that begins with struct_size in the scratch memory and sets its size. Returns its address. */
    public long prepare(Scratch scratch) {
        ByteBuffer memory = scratch.buffer();
        for (int offset = 0; offset < size; offset += 4) {
            memory.putInt(offset, 0);
        }
        memory.putInt(0, size);
        return scratch.address;
    }

    public int getInt(Scratch scratch, String field) {
        return scratch.buffer().getInt(offset(field, 4));
    }

    public long getLong(Scratch scratch, String field) {
        return scratch.buffer().getLong(offset(field, 8));
    }

    public void putInt(Scratch scratch, String field, int value) {
        scratch.putInt(offset(field, 4), value);
    }

    public void putLong(Scratch scratch, String field, long value) {
        scratch.putLong(offset(field, 8), value);
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

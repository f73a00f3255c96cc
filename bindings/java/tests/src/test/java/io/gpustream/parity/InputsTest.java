// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Struct;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Structs and arrays of the parity cases, as bytes. */
class InputsTest {
    private final Values values = new Values(JsonParser.parseString("{\"GS_TWO\": 2}").getAsJsonObject());
    private final Inputs inputs = new Inputs(values, null);

    private ByteBuffer given(Struct struct, int elementSize, int bytes, String json) {
        var parameter = new Signatures.Parameter(Signatures.Role.VALUE, struct, elementSize);
        long address = inputs.address(parameter, JsonParser.parseString(json));
        return address == 0 ? null : Native.BRIDGE.bufferOf(address, bytes).order(ByteOrder.nativeOrder());
    }

    @Test
    void structsAreMadeOfTheirMembers() {
        ByteBuffer triple = given(Layouts.STREAM_TRIPLE, 16, 16, "{\"id\": -5, \"device_type\": \"GS_TWO\"}");
        assertEquals(-5, triple.getLong(0));
        assertEquals(0, triple.getInt(8));
        assertEquals(2, triple.getInt(12));
        ByteBuffer info = given(Layouts.DEVICE_INFO, 408, 408, "{\"name\": \"x\"}");
        assertEquals(408, info.getInt(0));
        assertEquals('x', info.get(Layouts.DEVICE_INFO.fields().get("name").offset()));
        assertThrows(Values.Wrong.class, () -> given(Layouts.STREAM_TRIPLE, 16, 16, "{\"teleport\": 1}"));
        assertThrows(Values.Wrong.class, () -> given(null, 8, 8, "{\"id\": 1}"));
        assertNull(given(Layouts.STREAM_TRIPLE, 16, 16, "null"));
    }

    @Test
    void arraysAreTheirElementsInARow() {
        ByteBuffer ints = given(null, 4, 8, "[7, \"GS_TWO\"]");
        assertEquals(7, ints.getInt(0));
        assertEquals(2, ints.getInt(4));
        values.set("stream", 0x1234567890L);
        ByteBuffer handles = given(null, 8, 16, "[\"$stream\", null]");
        assertEquals(0x1234567890L, handles.getLong(0));
        assertEquals(0, handles.getLong(8));
        JsonObject made = new JsonObject();
        made.addProperty("id", 9);
        values.set("triple", new Values.Instance(Layouts.STREAM_TRIPLE, Inputs.direct(16).putLong(0, 8)));
        ByteBuffer triples = given(Layouts.STREAM_TRIPLE, 16, 32, "[\"$triple\", " + made + "]");
        assertEquals(8, triples.getLong(0));
        assertEquals(9, triples.getLong(16));
        assertEquals(0, given(null, 4, 1, "[]").get(0));
    }
}

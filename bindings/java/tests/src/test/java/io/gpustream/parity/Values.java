// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.gpustream.internal.Struct;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Names and values of the parity cases. A value is a Long (64 bits), a Double, a String, or an Instance. */
final class Values {
    /** A step did not go as described. */
    static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    /** A struct's bytes. */
    record Instance(Struct struct, ByteBuffer bytes) {
        Object field(String name) {
            Struct.Field field = struct.fields().get(name);
            if (field == null) {
                throw new Wrong(struct.name + " has no field " + name);
            }
            return switch (field.bytes()) {
                case 4 -> (long) bytes.getInt(field.offset());
                case 8 -> bytes.getLong(field.offset());
                default -> text(field);
            };
        }

        private String text(Struct.Field field) {
            StringBuilder text = new StringBuilder();
            for (int i = field.offset(); i < field.offset() + field.bytes() && bytes.get(i) != 0; i++) {
                text.append((char) (bytes.get(i) & 0xFF));
            }
            return text.toString();
        }
    }

    private final Map<String, Long> constants = new HashMap<>();
    private final Map<String, Object> variables = new HashMap<>();

    Values(JsonObject constants) {
        constants.entrySet().forEach(entry -> this.constants.put(entry.getKey(), number(entry.getValue())));
    }

    synchronized void set(String name, Object value) {
        variables.put(name, value);
    }

    private static long number(JsonElement json) {
        if (json.getAsJsonPrimitive().isString()) {
            return Long.parseUnsignedLong(json.getAsString().substring(2), 16);
        }
        return json.getAsBigDecimal().longValue();
    }

    /** A JSON number, "$variable", "GS_CONSTANT", or "0x..." for what JSON's numbers cannot hold; null is 0. */
    synchronized Object resolve(JsonElement json) {
        if (json.isJsonNull()) {
            return 0L;
        }
        if (!json.isJsonPrimitive()) {
            throw new Wrong("a number, a name or null is wanted");
        }
        if (!json.getAsJsonPrimitive().isString()) {
            return number(json);
        }
        String text = json.getAsString();
        if (text.startsWith("$")) {
            Object value = variables.get(text.substring(1));
            if (value == null) {
                throw new Wrong("no variable '" + text.substring(1) + "'");
            }
            return value;
        }
        if (constants.containsKey(text)) {
            return constants.get(text);
        }
        return text.startsWith("0x") ? (Object) number(json) : text;
    }

    /** Throws Wrong, saying what was found, unless the value is as described. */
    void check(JsonElement wanted, Object found, String what) {
        if (wanted.isJsonArray() && wanted.getAsJsonArray().isEmpty()) {
            return; // an array that was given no room
        }
        if (!wanted.isJsonObject()) {
            Object expected = expected(wanted, found);
            require(same(found, expected), what, found, show(expected));
            return;
        }
        for (Map.Entry<String, JsonElement> rule : wanted.getAsJsonObject().entrySet()) {
            JsonElement operand = rule.getValue();
            switch (rule.getKey()) {
                case "not" -> require(!same(found, expected(operand, found)), what, found, "anything else");
                case "min" -> require(
                        real(found) >= real(resolve(operand)), what, found, "at least " + show(resolve(operand)));
                case "max" -> require(
                        real(found) <= real(resolve(operand)), what, found, "at most " + show(resolve(operand)));
                case "contains" -> require(
                        found instanceof String text && text.contains(operand.getAsString()),
                        what, found, "a text with '" + operand.getAsString() + "'");
                case "fields" -> {
                    if (!(found instanceof Instance struct)) {
                        throw new Wrong(what + " is no struct");
                    }
                    operand.getAsJsonObject().entrySet().forEach(field ->
                            check(field.getValue(), struct.field(field.getKey()), what + "." + field.getKey()));
                }
                default -> throw new Wrong("unknown rule '" + rule.getKey() + "'");
            }
        }
    }

    // Where a text was found, a text is meant, even if a constant has that name.
    private Object expected(JsonElement wanted, Object found) {
        boolean literal = found instanceof String && !wanted.getAsString().startsWith("$");
        return literal && wanted.getAsJsonPrimitive().isString() ? wanted.getAsString() : resolve(wanted);
    }

    private static void require(boolean condition, String what, Object found, String rule) {
        if (!condition) {
            throw new Wrong(what + " is " + show(found) + ", wanted " + rule);
        }
    }

    private static boolean same(Object left, Object right) {
        if (left instanceof Double || right instanceof Double) {
            return real(left) == real(right);
        }
        return Objects.equals(left, right);
    }

    private static double real(Object value) {
        return ((Number) value).doubleValue();
    }

    static String show(Object value) {
        return value instanceof String ? "'" + value + "'" : value instanceof Instance ? "a struct" : value.toString();
    }
}

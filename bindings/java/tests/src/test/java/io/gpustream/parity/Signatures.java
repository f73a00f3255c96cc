// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Struct;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;

/** The parameters of the header's functions, from api/gpustream.json. */
final class Signatures {
    /** What a parameter is to a runner; VALUE is a number, a text or a struct of the cases. */
    enum Role {
        VALUE, FUNCTION, ARGUMENTS, OUT_INT, OUT_LONG, OUT_DOUBLE, OUT_TEXT, OUT_STRUCT;

        boolean isOutput() {
            return name().startsWith("OUT_");
        }
    }

    /** The struct is the one it points to, or null; the element size is that of an array's elements, bytes. */
    record Parameter(Role role, Struct struct, int elementSize) {}

    record Signature(String result, List<Parameter> parameters) {
        boolean hasStatus() {
            return result.equals("gs_status_t");
        }
    }

    private final Map<String, String> aliases = new HashMap<>();
    private final Map<String, Signature> found = new HashMap<>();

    private Signatures(JsonObject api) {
        for (JsonElement scalar : api.getAsJsonArray("scalars")) {
            aliases.put(text(scalar, "name"), text(scalar, "type"));
        }
        for (JsonElement function : api.getAsJsonArray("functions")) {
            List<Parameter> parameters = new ArrayList<>();
            for (JsonElement parameter : function.getAsJsonObject().getAsJsonArray("parameters")) {
                parameters.add(parameter(parameter.getAsJsonObject()));
            }
            found.put(text(function, "name"), new Signature(text(function, "result"), parameters));
        }
    }

    static Map<String, Signature> read(Path description) throws IOException {
        return new Signatures(JsonParser.parseString(Files.readString(description)).getAsJsonObject()).found;
    }

    private static String text(JsonElement object, String member) {
        return object.getAsJsonObject().get(member).getAsString();
    }

    private Parameter parameter(JsonObject parameter) {
        String type = text(parameter, "type");
        Struct struct = parameter.has("struct") ? struct(text(parameter, "struct")) : null;
        String pointed = type.replace("const ", "").replaceFirst(" ?\\*$", "");
        String scalar = aliases.getOrDefault(pointed, pointed);
        boolean isInput = text(parameter, "direction").equals("in");
        Role role = isInput ? input(parameter, type) : struct != null ? Role.OUT_STRUCT : output(scalar);
        boolean isInt = scalar.equals("int32_t") || scalar.equals("uint32_t");
        return new Parameter(role, struct, struct != null ? struct.size() : isInt ? 4 : 8);
    }

    private static Role input(JsonObject parameter, String type) {
        return parameter.has("callback") ? Role.FUNCTION : type.equals("void **") ? Role.ARGUMENTS : Role.VALUE;
    }

    private static Role output(String pointed) {
        return switch (pointed) {
            case "int32_t", "uint32_t" -> Role.OUT_INT;
            case "double" -> Role.OUT_DOUBLE;
            case "char *" -> Role.OUT_TEXT;
            default -> Role.OUT_LONG;
        };
    }

    private static Struct struct(String name) {
        return Layouts.ALL.stream().filter(struct -> struct.name.equals(name)).findFirst().orElseThrow();
    }
}

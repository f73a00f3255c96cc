// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the functions of the header take and give, read from the header itself. */
final class Signatures {
    /** What a parameter is to a runner. */
    enum Role {
        NUMBER, TEXT, TEXT_OR_ADDRESS, FUNCTION, STRUCT, LAUNCH_CONFIG, ARGUMENTS,
        OUT_INT, OUT_LONG, OUT_DOUBLE, OUT_TEXT, OUT_STRUCT;

        boolean isOutput() {
            return name().startsWith("OUT_");
        }
    }

    record Parameter(Role role, Values.Kind kind) {}

    record Signature(boolean hasStatus, List<Parameter> parameters) {}

    private static final Pattern DECLARATION =
            Pattern.compile("^GS_API (.*?)(gs_\\w+)\\((.*?)\\);", Pattern.MULTILINE | Pattern.DOTALL);

    private Signatures() {}

    static Map<String, Signature> read(Path header) throws IOException {
        Map<String, Signature> found = new HashMap<>();
        Matcher matcher = DECLARATION.matcher(Files.readString(header));
        while (matcher.find()) {
            List<Parameter> parameters = new ArrayList<>();
            for (String parameter : split(matcher.group(3).replaceAll("\\s+", " "))) {
                parameters.add(parameter(parameter));
            }
            found.put(matcher.group(2), new Signature(matcher.group(1).strip().equals("gs_status_t"), parameters));
        }
        return found;
    }

    // Commas inside a function's own parameter list do not separate.
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
            if (letter == ',' && depth == 0) {
                parts.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        String last = text.substring(start).strip();
        if (!last.equals("void")) {
            parts.add(last);
        }
        return parts;
    }

    private static Parameter parameter(String text) {
        String type = text.replaceFirst("\\w+$", "").strip();
        if (text.contains("(*")) {
            return new Parameter(Role.FUNCTION, null);
        }
        for (Values.Kind kind : Values.kinds()) {
            if (type.contains(kind.name())) {
                return new Parameter(type.startsWith("const") ? Role.STRUCT : Role.OUT_STRUCT, kind);
            }
        }
        return new Parameter(
                switch (type) {
                    case "const gs_launch_config_t *" -> Role.LAUNCH_CONFIG;
                    case "const char *" -> Role.TEXT;
                    case "const char **" -> Role.OUT_TEXT;
                    case "const void *" -> Role.TEXT_OR_ADDRESS;
                    case "int32_t *", "uint32_t *", "gs_device_t *", "gs_backend_t *" -> Role.OUT_INT;
                    case "double *" -> Role.OUT_DOUBLE;
                    case "void **" -> text.startsWith("void **arguments") ? Role.ARGUMENTS : Role.OUT_LONG;
                    case "int64_t *", "uint64_t *", "uintptr_t *", "gs_stream_t *", "gs_event_t *", "gs_module_t *",
                            "gs_kernel_t *", "size_t *" -> Role.OUT_LONG;
                    default -> Role.NUMBER;
                },
                null);
    }
}

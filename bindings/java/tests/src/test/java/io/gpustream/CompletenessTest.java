// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.gpustream.internal.CurrentCalls;
import io.gpustream.internal.DeviceCalls;
import io.gpustream.internal.EventCalls;
import io.gpustream.internal.Layers;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.LibraryCalls;
import io.gpustream.internal.StreamCalls;
import io.gpustream.internal.TelemetryCalls;
import io.gpustream.internal.WorkCalls;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The binding has every function of the header, under the names that api/names.json promises. */
class CompletenessTest {
    private static final List<Class<?>> CALLS = List.of(
            LibraryCalls.class, DeviceCalls.class, StreamCalls.class, CurrentCalls.class, EventCalls.class,
            WorkCalls.class, TelemetryCalls.class);

    private static final List<Layouts.Struct> STRUCTS =
            List.of(Layouts.ERROR, Layouts.STATS, Layouts.DEVICE, Layouts.INVENTORY, Layouts.LAUNCH);

    private static JsonObject api() throws IOException {
        String text = Files.readString(Support.SOURCE.resolve("api/names.json"));
        return JsonParser.parseString(text).getAsJsonObject().getAsJsonObject("functions");
    }

    private static Set<String> headerFunctions() throws IOException {
        String header = Files.readString(Support.SOURCE.resolve("include/gpustream.h"));
        Set<String> names = new TreeSet<>();
        Matcher declaration = Pattern.compile("^GS_API [^;(]*?(gs_\\w+)\\(", Pattern.MULTILINE).matcher(header);
        while (declaration.find()) {
            names.add(declaration.group(1));
        }
        return names;
    }

    private static void assertSame(Set<String> wanted, Set<String> found) {
        Set<String> missing = new TreeSet<>(wanted);
        missing.removeAll(found);
        Set<String> surplus = new TreeSet<>(found);
        surplus.removeAll(wanted);
        assertTrue(missing.isEmpty() && surplus.isEmpty(), () -> "missing " + missing + ", too many " + surplus);
    }

    /** "gs_stream_wait_event" is called streamWaitEvent here. */
    private static String camelCase(String function) {
        return Pattern.compile("_(\\w)").matcher(function.substring(3)).replaceAll(m -> m.group(1).toUpperCase());
    }

    @Test
    void theCallsAreTheHeadersFunctions() throws IOException {
        Set<String> wanted = new TreeSet<>();
        headerFunctions().forEach(function -> wanted.add(camelCase(function)));
        Set<String> found = new TreeSet<>();
        for (Class<?> calls : CALLS) {
            for (Method method : calls.getMethods()) {
                assertTrue(found.add(method.getName()), () -> "declared twice: " + method);
            }
        }
        assertSame(wanted, found);
        assertTrue(wanted.size() > 80, "the header was not understood");
    }

    @Test
    void swigMadeAllOfThem() throws Exception {
        Set<String> found = new TreeSet<>();
        for (Method method : Class.forName("io.gpustream.internal.jni.GpustreamJni").getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers())) {
                found.add(method.getName());
            }
        }
        assertSame(headerFunctions(), found);
    }

    @Test
    void ffmHasAllOfThem() throws Exception {
        if (!Layers.hasFfm()) {
            assertTrue(Runtime.version().feature() < 22, "Java 22 or newer, but the archive has no FFM layer");
            return;
        }
        Set<String> wanted = new TreeSet<>();
        headerFunctions().forEach(function -> wanted.add(function.substring(3).toUpperCase()));
        Set<String> found = new TreeSet<>();
        for (String part : List.of("Library", "Devices", "Streams", "Current", "Events", "Work", "Telemetry")) {
            Class<?> holder = Class.forName("io.gpustream.internal.ffm.Ffm" + part);
            Arrays.stream(holder.getDeclaredFields()).forEach(field -> found.add(field.getName()));
        }
        assertSame(wanted, found);
    }

    @Test
    void everyPromisedNameIsThere() throws IOException {
        List<String> missing = new ArrayList<>();
        JsonObject api = api();
        assertSame(headerFunctions(), api.keySet());
        for (String function : api.keySet()) {
            String name = api.getAsJsonObject(function).get("java").getAsString();
            if (!name.startsWith("omitted: ") && !exists(name)) {
                missing.add(function + ": " + name);
            }
        }
        assertEquals(List.of(), missing);
        assertFalse(exists("Stream.teleport"));
        assertFalse(exists("Teleporter"));
        assertFalse(exists("Stream.builder().teleport"));
    }

    /** A class, Class.method, or a chain such as Stream.builder().build. */
    private static boolean exists(String name) {
        String[] parts = name.replace("()", "").split("\\.");
        Class<?> type;
        try {
            type = Class.forName("io.gpustream." + parts[0]);
        } catch (ClassNotFoundException missing) {
            return false;
        }
        if (!Modifier.isPublic(type.getModifiers())) {
            return false;
        }
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i];
            Method found = Arrays.stream(type.getMethods())
                    .filter(method -> method.getName().equals(part) && method.getDeclaringClass() != Object.class)
                    .findFirst()
                    .orElse(null);
            if (found == null) {
                return false;
            }
            type = found.getReturnType();
        }
        return true;
    }

    /** tests/abi/layout.c is held by the C compiler; the table in Java is held by this. */
    @Test
    void structsAreWhereTheCompilerPutsThem() throws IOException {
        String layout = Files.readString(Support.SOURCE.resolve("tests/abi/layout.c"));
        for (Layouts.Struct struct : STRUCTS) {
            List<String> wanted = new ArrayList<>();
            String member = "^FIELD\\(" + struct.name + ", (\\w+), (\\d+), (\\d+)\\)";
            Matcher field = Pattern.compile(member, Pattern.MULTILINE).matcher(layout);
            while (field.find()) {
                wanted.add(field.group(1) + " " + field.group(2) + " " + field.group(3));
            }
            List<String> found = new ArrayList<>();
            struct.fields().forEach((name, where) -> found.add(name + " " + where.offset() + " " + where.bytes()));
            assertEquals(wanted, found);
            Matcher size = Pattern.compile("^SIZE\\(" + struct.name + ", (\\d+),", Pattern.MULTILINE).matcher(layout);
            assertTrue(size.find());
            assertEquals(Integer.parseInt(size.group(1)), struct.size());
        }
    }

    @Test
    void flagsAndBackendsHaveTheHeadersNumbers() throws IOException {
        String header = Files.readString(Support.SOURCE.resolve("include/gpustream.h"));
        for (StreamFlag flag : StreamFlag.values()) {
            assertTrue(header.contains("GS_STREAM_" + flag + " = " + flag.bit + "\n")
                    || header.contains("GS_STREAM_" + flag + " = " + flag.bit + ","), flag::toString);
        }
        for (EventFlag flag : EventFlag.values()) {
            assertTrue(header.contains("GS_EVENT_" + flag + " = " + flag.bit + "\n")
                    || header.contains("GS_EVENT_" + flag + " = " + flag.bit + ","), flag::toString);
        }
        for (Backend backend : Backend.values()) {
            assertTrue(header.contains("GS_BACKEND_" + backend + " = " + backend.code()), backend::toString);
        }
        for (SyncDebugMode mode : SyncDebugMode.values()) {
            assertTrue(header.contains("GS_SYNC_DEBUG_" + mode + " = " + mode.ordinal()), mode::toString);
        }
        for (SyncDebugScope scope : SyncDebugScope.values()) {
            assertTrue(header.contains("GS_SYNC_SCOPE_" + scope + " = " + scope.ordinal()), scope::toString);
        }
        for (UnavailableReason reason : UnavailableReason.values()) {
            assertEquals(
                    reason != UnavailableReason.UNKNOWN,
                    header.contains("GS_REASON_" + reason + " = " + reason.ordinal()),
                    reason::toString);
        }
        assertThrows(IllegalArgumentException.class, () -> Backend.of(4));
        assertThrows(IllegalArgumentException.class, () -> Backend.of(0));
    }
}

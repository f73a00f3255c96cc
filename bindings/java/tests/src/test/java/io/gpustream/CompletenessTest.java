// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.jna.NativeLibrary;
import io.gpustream.internal.Calls;
import io.gpustream.internal.Constants;
import io.gpustream.internal.Layer;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Struct;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.*;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The binding has every function of the header, under the names that api/names.json promises. */
class CompletenessTest {
    private static JsonObject api() throws IOException {
        String text = Files.readString(Support.SOURCE.resolve("api/names.json"));
        return JsonParser.parseString(text).getAsJsonObject().getAsJsonObject("functions");
    }

    private static Set<String> headerFunctions() throws IOException {
        String header = Support.header();
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
        for (Method method : Calls.class.getDeclaredMethods()) {
            assertTrue(found.add(method.getName()), () -> "declared twice: " + method);
        }
        assertSame(wanted, found);
        assertTrue(wanted.size() > 80, "the header was not understood");
    }

    @Test
    void swigMadeAllOfThem() {
        Library.version(); // loads the core, which the other library needs
        NativeLibrary library = NativeLibrary.getInstance(Support.BINARY + "/bindings/java/libgpustreamjni.so");
        for (Method method : Calls.class.getDeclaredMethods()) {
            assertTrue(Modifier.isNative(method.getModifiers()), method::toString);
            assertNotNull(library.getFunction("Java_io_gpustream_internal_Calls_" + method.getName()));
        }
    }

    @Test
    void ffmHasAllOfThem() throws Exception {
        if (!Layer.hasFfm()) {
            assertTrue(Runtime.version().feature() < 22, "Java 22 or newer, but the archive has no FFM layer");
            return;
        }
        for (Class<?> one : List.of(Calls.class, io.gpustream.internal.Bridge.class)) {
            Class<?> ffm = Class.forName("io.gpustream.internal.ffm.Ffm" + one.getSimpleName());
            for (Method method : one.getDeclaredMethods()) {
                if (Modifier.isNative(method.getModifiers())) {
                    assertNotNull(ffm.getDeclaredMethod(method.getName(), method.getParameterTypes()));
                }
            }
        }
    }

    @Test
    void everyPromisedNameIsThere() throws IOException {
        List<String> missing = new ArrayList<>();
        JsonObject api = api();
        assertSame(headerFunctions(), api.keySet());
        for (String function : api.keySet()) {
            String names = api.getAsJsonObject(function).get("java").getAsString();
            if (!names.startsWith("omitted: ")) {
                Arrays.stream(names.split(", "))
                        .filter(name -> !exists(name))
                        .forEach(name -> missing.add(function + ": " + name));
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

    /** The C compiler checks the numbers of tests/abi/layout.c, and this compares Java's with them. */
    @Test
    void structsAreWhereTheCompilerPutsThem() throws IOException {
        String layout = Files.readString(Support.SOURCE.resolve("tests/abi/layout.c"));
        Set<String> structs = new TreeSet<>();
        Layouts.ALL.forEach(struct -> structs.add(struct.name));
        Matcher first = Pattern.compile("^FIELD\\((\\w+), ", Pattern.MULTILINE).matcher(layout);
        Set<String> known = new TreeSet<>();
        while (first.find()) {
            known.add(first.group(1));
        }
        assertSame(known, structs);
        for (Struct struct : Layouts.ALL) {
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
    void enumsHaveTheHeadersNumbers() throws IOException {
        Map<String, Integer> statuses = numbers("ERROR_");
        statuses.put("OK", 0);
        statuses.put("NOT_READY", 1);
        statuses.put("UNKNOWN", -1);
        assertEquals(statuses, numbersOf(Status.values(), Status::code));
        assertEquals(numbers("STREAM_"), numbersOf(StreamFlag.values(), flag -> flag.bit));
        assertEquals(numbers("EVENT_"), numbersOf(EventFlag.values(), flag -> flag.bit));
        assertEquals(numbers("PARTITION_"), numbersOf(PartitionFlag.values(), flag -> flag.bit));
        Map<String, Integer> backends = numbers("BACKEND_");
        backends.remove("DEFAULT");
        assertEquals(backends, numbersOf(Backend.values(), Backend::code));
        assertEquals(numbers("SYNC_DEBUG_"), numbersOf(SyncDebugMode.values(), Enum::ordinal));
        assertEquals(numbers("SYNC_SCOPE_"), numbersOf(SyncDebugScope.values(), Enum::ordinal));
        Map<String, Integer> reasons = numbers("REASON_");
        reasons.put("UNKNOWN", reasons.size());
        assertEquals(reasons, numbersOf(UnavailableReason.values(), Enum::ordinal));
        assertEquals(numbers("WAIT_"), numbersOf(WaitMode.values(), Enum::ordinal));
        assertEquals(numbers("ACCESS_ORDER_"), numbersOf(AccessOrder.values(), order -> order.code));
        Map<String, Integer> modes = numbers("CAPTURE_");
        modes.keySet().removeIf(name -> name.startsWith("STATE_"));
        assertEquals(modes, numbersOf(CaptureMode.values(), Enum::ordinal));
        assertEquals(numbers("CAPTURE_STATE_"), numbersOf(CaptureState.values(), Enum::ordinal));
        assertEquals(numbers("NODE_"), numbersOf(NodeKind.values(), Enum::ordinal));
        assertEquals(numbers("CONDITION_"), numbersOf(ConditionKind.values(), Enum::ordinal));
        assertEquals(numbers("INSTANTIATE_"), numbersOf(InstantiateFlag.values(), flag -> flag.bit));
        Map<String, Integer> updates = numbers("UPDATE_");
        updates.put("UNKNOWN", updates.size());
        assertEquals(updates, numbersOf(UpdateReason.values(), Enum::ordinal));
        assertThrows(IllegalArgumentException.class, () -> Backend.of(4));
        assertThrows(IllegalArgumentException.class, () -> Backend.of(0));
    }

    /** The enumerators GS_PREFIX_NAME of the header: NAME and number. */
    private static Map<String, Integer> numbers(String prefix) throws IOException {
        String header = Support.header();
        Matcher enumerator = Pattern.compile("^    GS_" + prefix + "(\\w+) = (\\d+)", Pattern.MULTILINE).matcher(header);
        Map<String, Integer> found = new TreeMap<>();
        while (enumerator.find()) {
            found.put(enumerator.group(1), Integer.parseInt(enumerator.group(2)));
        }
        assertFalse(found.isEmpty(), prefix);
        return found;
    }

    private static <E extends Enum<E>> Map<String, Integer> numbersOf(E[] values, ToIntFunction<E> number) {
        Map<String, Integer> found = new TreeMap<>();
        for (E value : values) {
            found.put(value.name(), number.applyAsInt(value));
        }
        return found;
    }

    @Test
    void constantsAreTheHeadersNumbers() throws Exception {
        Map<String, Integer> wanted = numbers("");
        Map<String, Integer> found = new TreeMap<>();
        for (Field constant : Constants.class.getFields()) {
            if (wanted.containsKey(constant.getName())) {
                found.put(constant.getName(), constant.getInt(null));
            }
        }
        assertEquals(wanted, found);
        assertEquals(-1, Constants.DEVICE_CURRENT);
        assertEquals(-2, Constants.DEVICE_NONE);
        assertEquals(0x7000000000000001L, Constants.STREAM_CURRENT);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.jna.NativeLibrary;
import io.gpustream.internal.Calls;
import io.gpustream.internal.Layer;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.*;
import org.junit.jupiter.api.Test;

/** The binding has every function of the header, under the names that api/names.json promises. */
class CompletenessTest {
    private static JsonObject api() throws IOException {
        String text = Files.readString(Support.SOURCE.resolve("api/names.json"));
        return JsonParser.parseString(text).getAsJsonObject().getAsJsonObject("functions");
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
}

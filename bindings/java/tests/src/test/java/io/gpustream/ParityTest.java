// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.gpustream.internal.Calls;
import io.gpustream.internal.Native;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The cases that all languages share, each in a process of its own. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("processes")
class ParityTest {
    private static final Path FOLDER = Support.SOURCE.resolve("tests/parity");

    /** The runner of the cases in C, whose calls go through the layer of this virtual machine. */
    static final class Runner {
        /** Calls a function of the header. */
        interface Java extends Callback {
            long call(String function, Pointer arguments);
        }

        private static final Map<String, Method> METHODS = new HashMap<>();

        public static void main(String[] arguments) {
            for (Method method : Calls.class.getDeclaredMethods()) {
                METHODS.put("gs_" + method.getName().replaceAll("[A-Z]", "_$0").toLowerCase(), method);
            }
            NativeLibrary runner = NativeLibrary.getInstance(Support.BINARY + "/bindings/java/libgpustream_java_parity.so");
            Java java = Runner::call;
            runner.getGlobalVariableAddress("gpustream_parity_java").setPointer(0, CallbackReference.getFunctionPointer(java));
            String library = Support.BINARY + "/libgpustream.so.0";
            String natives = Support.PARITY_LIBRARY.toString();
            String[] given = {"run_cases", library, natives, arguments[0], arguments[1], natives};
            System.exit(runner.getFunction("main").invokeInt(new Object[] {given.length, given}));
        }

        private static long call(String function, Pointer given) {
            try {
                Method method = METHODS.get(function);
                Object[] arguments = new Object[method.getParameterCount()];
                for (int i = 0; i < arguments.length; i++) {
                    long value = given.getLong(8L * i);
                    arguments[i] = method.getParameterTypes()[i] == int.class ? (Object) (int) value : (Object) value;
                }
                return ((Number) method.invoke(Native.CALLS, arguments)).longValue();
            } catch (Throwable thrown) {
                thrown.printStackTrace();
                Runtime.getRuntime().halt(2); // an exception would become a result
                return 0;
            }
        }
    }

    /** A test for each case but those with a fork, in which no virtual machine runs on. */
    private static List<DynamicTest> tests(String file) throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        JsonObject document = JsonParser.parseString(Files.readString(FOLDER.resolve(file))).getAsJsonObject();
        for (JsonElement element : document.getAsJsonArray("cases")) {
            JsonObject one = element.getAsJsonObject();
            if (!one.toString().contains("\"fork\":")) {
                String name = one.get("name").getAsString();
                tests.add(DynamicTest.dynamicTest(name, () -> run(file, name, one.get("fails_with"))));
            }
        }
        return tests;
    }

    private static void run(String file, String name, JsonElement reason) {
        Child.Result result = new Child(Runner.class, FOLDER.resolve(file).toString(), name)
                .environment("GPUSTREAM_BACKEND", "host")
                .environment("GPUSTREAM_HOST_DEVICES", "2")
                // The cases test how the library itself writes messages.
                .property("gpustream.log", "native")
                .run();
        if (reason == null) {
            result.succeeded();
        } else {
            assertTrue(Pattern.compile(reason.getAsString()).matcher(result.failed().output()).find(), result.output());
        }
    }

    @TestFactory
    List<DynamicTest> cases() throws IOException {
        return tests("cases.json");
    }

    @TestFactory
    List<DynamicTest> wrongCases() throws IOException {
        return tests("wrong_cases.json");
    }
}

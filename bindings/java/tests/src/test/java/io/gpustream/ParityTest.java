// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.gpustream.parity.Runner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    private static final String NO_FORK = "a JVM cannot be forked";

    private static List<JsonObject> cases(String file) throws IOException {
        List<JsonObject> cases = new ArrayList<>();
        JsonObject document = JsonParser.parseString(Files.readString(FOLDER.resolve(file))).getAsJsonObject();
        for (JsonElement element : document.getAsJsonArray("cases")) {
            cases.add(element.getAsJsonObject());
        }
        return cases;
    }

    private static Child.Result run(String file, JsonObject one) {
        Child child = new Child(
                        Runner.class,
                        Support.SOURCE.toString(),
                        Support.PARITY_LIBRARY.toString(),
                        FOLDER.resolve(file).toString(),
                        one.get("name").getAsString())
                .environment("GPUSTREAM_BACKEND", "host")
                .environment("GPUSTREAM_HOST_DEVICES", "2")
                // The cases test how the library itself writes messages.
                .property("gpustream.log", "native");
        if (one.has("env")) {
            one.getAsJsonObject("env").entrySet().forEach(entry ->
                    child.environment(entry.getKey(), entry.getValue().getAsString()));
        }
        return child.run();
    }

    @TestFactory
    List<DynamicTest> cases() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonObject one : cases("cases.json")) {
            tests.add(DynamicTest.dynamicTest(one.get("name").getAsString(), () -> {
                Child.Result result = run("cases.json", one);
                // Steps that only C can run must be skipped for that reason, not pass by accident.
                if (one.toString().contains("\"fork\":")) {
                    assertTrue(result.failed().output().contains(NO_FORK), result.output());
                } else {
                    result.succeeded();
                }
            }));
        }
        return tests;
    }

    @TestFactory
    List<DynamicTest> wrongCases() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonObject one : cases("wrong_cases.json")) {
            tests.add(DynamicTest.dynamicTest(one.get("name").getAsString(), () -> {
                String reason = one.toString().contains("\"fork\":") ? NO_FORK : one.get("fails_with").getAsString();
                Child.Result result = run("wrong_cases.json", one).failed();
                assertTrue(Pattern.compile(reason).matcher(result.output()).find(), result.output());
            }));
        }
        return tests;
    }
}

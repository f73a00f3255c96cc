// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.TimeUnit;

/** A virtual machine in a process of its own, for what must not happen in that of the tests. */
final class Child {
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private final List<String> options = new ArrayList<>(List.of(
            "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+IgnoreUnrecognizedVMOptions",
            "--enable-native-access=ALL-UNNAMED"));
    private final Map<String, String> environment = new TreeMap<>();
    private String classPath = System.getProperty("java.class.path");
    private final List<String> program = new ArrayList<>();

    /** The exit status and output. */
    record Result(int status, String output) {
        Result succeeded() {
            assertEquals(0, status, output);
            return this;
        }

        Result failed() {
            assertEquals(1, status, output);
            return this;
        }
    }

    Child(Class<?> main, String... arguments) {
        this(main.getName(), arguments);
    }

    Child(String main, String... arguments) {
        program.add(main);
        program.addAll(List.of(arguments));
        property("gpustream.layer", System.getProperty("gpustream.layer"));
        for (String name : List.of("gpustream.cache.dir", "gpustream.source", "gpustream.binary")) {
            property(name, System.getProperty(name));
        }
    }

    Child property(String name, String value) {
        options.removeIf(option -> option.startsWith("-D" + name + "="));
        if (value != null) {
            options.add("-D" + name + "=" + value);
        }
        return this;
    }

    Child option(String... option) {
        options.addAll(List.of(option));
        return this;
    }

    Child withoutOption(String option) {
        options.remove(option);
        return this;
    }

    /** Sets a variable; an empty value removes it. */
    Child environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Removes the archives whose path contains the text from the class path. */
    Child without(String text) {
        List<String> kept = new ArrayList<>();
        for (String element : classPath.split(":")) {
            if (!element.contains(text)) {
                kept.add(element);
            }
        }
        classPath = String.join(":", kept);
        return this;
    }

    /** The element of the class path that contains the text. */
    static String element(String text) {
        for (String element : System.getProperty("java.class.path").split(":")) {
            if (element.contains(text)) {
                return element;
            }
        }
        throw new AssertionError("no " + text + " in the class path");
    }

    Process start(Path output) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(JAVA);
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(program);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        environment.forEach((name, value) -> {
            if (value.isEmpty()) {
                builder.environment().remove(name);
            } else {
                builder.environment().put(name, value);
            }
        });
        return builder.start();
    }

    /** What it says until it ends as it should. */
    String output() {
        return run().succeeded().output();
    }

    /** What it says until it ends with 1. */
    String failure() {
        return run().failed().output();
    }

    /** Runs it to its end. Fails if it hangs. */
    Result run() {
        try {
            Path output = Files.createTempFile("gpustream-child", ".txt");
            try {
                Process process = start(output);
                process.getOutputStream().close();
                if (!process.waitFor(Support.PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("the child hangs: " + Files.readString(output));
                }
                return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
            } finally {
                Files.delete(output);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.gpustream.Status;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs one parity case through the layer of this virtual machine: Runner SOURCE NATIVE CASES CASE. Exits 0 when every
 * step went as described. Calls go through the interfaces that both layers implement, NULL outputs included.
 */
public final class Runner {
    private static final long PATIENCE_NANOS = 60_000_000_000L; // for "until": a bound of hangs

    private final NativeLibrary natives;
    private final Calls calls;
    private final Values values;

    private Runner(Path source, String nativeLibrary, JsonObject constants) throws IOException {
        natives = NativeLibrary.getInstance(nativeLibrary);
        calls = new Calls(Signatures.read(source.resolve("api/gpustream.json")), natives);
        values = new Values(constants);
        values.set("native", nativeLibrary);
    }

    public static void main(String[] arguments) throws IOException {
        JsonObject document = JsonParser.parseString(Files.readString(Path.of(arguments[2]))).getAsJsonObject();
        for (JsonElement element : document.getAsJsonArray("cases")) {
            JsonObject one = element.getAsJsonObject();
            if (one.get("name").getAsString().equals(arguments[3])) {
                Runner runner =
                        new Runner(Path.of(arguments[0]), arguments[1], document.getAsJsonObject("constants"));
                try {
                    runner.runSteps(one.getAsJsonArray("steps"));
                } catch (Values.Wrong wrong) {
                    System.out.println(arguments[3] + ": " + wrong.getMessage());
                    System.exit(1);
                }
                return;
            }
        }
        throw new IllegalArgumentException("no such case");
    }

    private void runSteps(JsonArray steps) {
        for (int i = 0; i < steps.size(); i++) {
            JsonObject step = steps.get(i).getAsJsonObject();
            try {
                runStep(step);
            } catch (Values.Wrong wrong) {
                String operation = step.has("op") ? " (" + step.get("op").getAsString() + ")" : "";
                throw new Values.Wrong("step " + (i + 1) + operation + ": " + wrong.getMessage());
            }
        }
    }

    private void runStep(JsonObject step) {
        if (step.has("thread")) {
            onThread(step.getAsJsonArray("thread"));
        } else if (step.has("fork")) {
            throw new Values.Wrong("a JVM cannot be forked");
        } else if (step.has("repeat")) {
            for (int i = step.get("repeat").getAsInt(); i > 0; i--) {
                runSteps(step.getAsJsonArray("steps"));
            }
        } else {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                Calls.Result result = perform(step);
                try {
                    check(step, result);
                    return;
                } catch (Values.Wrong wrong) {
                    if (!step.has("until") || System.nanoTime() > deadline) {
                        throw wrong;
                    }
                }
                Thread.onSpinWait();
            }
        }
    }

    private Calls.Result perform(JsonObject step) {
        JsonArray inputs = step.has("args") ? step.getAsJsonArray("args") : new JsonArray();
        JsonArray outputs = step.has("out") ? step.getAsJsonArray("out") : null;
        String operation = step.get("op").getAsString();
        return operation.contains(".")
                ? new Calls.Result(null, null, java.util.List.of(own(operation, inputs)))
                : calls.call(operation, inputs, outputs, values);
    }

    private Object own(String operation, JsonArray inputs) {
        long[] numbers = new long[inputs.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (Long) values.resolve(inputs.get(i));
        }
        return switch (operation) {
            case "gate.new" -> made("parity_gate_new");
            case "counter.new" -> made("parity_counter_new");
            case "counter.function" -> Pointer.nativeValue(natives.getFunction("parity_count"));
            case "gate.open" -> {
                natives.getFunction("parity_gate_open").invokeVoid(new Object[] {new Pointer(numbers[0])});
                yield 0L;
            }
            case "counter.get" ->
                natives.getFunction("parity_counter_get").invokeLong(new Object[] {new Pointer(numbers[0])});
            case "buffer.u32" -> (long) new Pointer(numbers[0]).getInt(4 * numbers[1]);
            case "triple.new" -> new Values.Instance(
                    Layouts.STREAM_TRIPLE,
                    Inputs.direct(16).putLong(0, numbers[0]).putInt(8, (int) numbers[1]).putInt(12, (int) numbers[2]));
            case "ipc.new" -> {
                ByteBuffer bytes = Inputs.direct(64);
                for (int i = 0; i < 64; i++) {
                    bytes.put(i, (byte) numbers[0]);
                }
                yield new Values.Instance(Layouts.IPC_HANDLE, bytes);
            }
            default -> throw new Values.Wrong("no operation " + operation);
        };
    }

    private long made(String function) {
        return Pointer.nativeValue(natives.getFunction(function).invokePointer(new Object[0]));
    }

    private void check(JsonObject step, Calls.Result result) {
        if (result.status() != null) {
            String wanted = step.has("expect") ? step.get("expect").getAsString() : "GS_OK";
            String found = Status.of(result.status()).nativeName();
            if (!found.equals(wanted)) {
                throw new Values.Wrong("status is " + found + ", wanted " + wanted + detail(result.status()));
            }
        }
        if (step.has("returns")) {
            values.check(step.get("returns"), result.returned(), "the result");
        }
        if (step.has("value")) {
            JsonElement wanted = step.get("value");
            for (int i = 0; i < result.outputs().size(); i++) {
                values.check(
                        wanted.isJsonArray() ? wanted.getAsJsonArray().get(i) : wanted,
                        result.outputs().get(i),
                        "output " + (i + 1));
            }
        }
        if (step.has("out")) {
            JsonArray names = step.getAsJsonArray("out");
            for (int i = 0; i < names.size(); i++) {
                if (!names.get(i).isJsonNull()) {
                    values.set(names.get(i).getAsString(), result.outputs().get(i));
                }
            }
        }
    }

    private static String detail(int status) {
        if (status == 0) {
            return "";
        }
        Scratch scratch = Scratch.get();
        Native.CALLS.lastError(Layouts.ERROR_INFO.prepare(scratch));
        return ": " + Layouts.ERROR_INFO.getText(scratch, "message");
    }

    private void onThread(JsonArray steps) {
        AtomicReference<Values.Wrong> trouble = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                runSteps(steps);
            } catch (Values.Wrong wrong) {
                trouble.set(wrong);
            }
        });
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        if (trouble.get() != null) {
            throw trouble.get();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.parity;

import com.google.gson.JsonArray;
import com.sun.jna.NativeLibrary;
import io.gpustream.internal.Native;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.regex.Pattern;

/** Calls a function of the header through the layer under test, with arguments from JSON. */
final class Calls {
    /** What a call gave: a status (or null), what it returned, its outputs. */
    record Result(Integer status, Object returned, List<Object> outputs) {}

    private static final List<Inputs> KEPT = Collections.synchronizedList(new ArrayList<>());

    private final Map<String, Signatures.Signature> signatures;
    private final Map<String, Method> methods = new HashMap<>();
    private final NativeLibrary natives;

    Calls(Map<String, Signatures.Signature> signatures, NativeLibrary natives) {
        this.signatures = signatures;
        this.natives = natives;
        for (Method method : io.gpustream.internal.Calls.class.getMethods()) {
            methods.put(method.getName(), method);
        }
    }

    Result call(String function, JsonArray inputs, JsonArray outputs, Values values) {
        Signatures.Signature signature = signatures.get(function);
        if (signature == null) {
            throw new Values.Wrong("no operation " + function);
        }
        String name = camelCase(function);
        Method method = methods.get(name);
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        Inputs given = new Inputs(values, natives);
        List<Signatures.Parameter> outs = new ArrayList<>();
        List<ByteBuffer> memory = new ArrayList<>();
        int taken = 0;
        for (int i = 0; i < types.length; i++) {
            Signatures.Parameter parameter = signature.parameters().get(i);
            long value;
            if (parameter.role().isOutput()) {
                ByteBuffer out = output(parameter);
                boolean none = outputs != null && outs.size() < outputs.size() && outputs.get(outs.size()).isJsonNull();
                outs.add(parameter);
                memory.add(out);
                value = none ? 0 : Native.BRIDGE.addressOf(out);
            } else {
                if (taken == inputs.size()) {
                    throw new Values.Wrong("too few arguments");
                }
                value = given.address(parameter, inputs.get(taken++));
            }
            if (types[i] == int.class) {
                arguments[i] = (int) value;
            } else {
                arguments[i] = value;
            }
        }
        if (taken != inputs.size()) {
            throw new Values.Wrong("too many arguments");
        }
        Object returned = invoke(method, arguments);
        // The arguments of a launch are read when the kernel runs, so they live as long as the process.
        KEPT.add(given);
        List<Object> results = new ArrayList<>();
        for (int i = 0; i < outs.size(); i++) {
            results.add(read(outs.get(i), memory.get(i)));
        }
        long number = ((Number) returned).longValue();
        Object plain = signature.result().equals("const char *") ? Native.BRIDGE.text(number) : (Object) number;
        return new Result(signature.hasStatus() ? (Integer) returned : null, plain, results);
    }

    private static Object invoke(Method method, Object[] arguments) {
        try {
            return method.invoke(Native.CALLS, arguments);
        } catch (InvocationTargetException failed) {
            throw new IllegalStateException(failed.getCause());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static ByteBuffer output(Signatures.Parameter parameter) {
        if (parameter.struct() == null) {
            return Inputs.direct(8);
        }
        ByteBuffer out = Inputs.direct(parameter.struct().size());
        if (parameter.struct().fields().containsKey("struct_size")) {
            out.putInt(0, parameter.struct().size());
        }
        return out;
    }

    private static Object read(Signatures.Parameter parameter, ByteBuffer out) {
        return switch (parameter.role()) {
            case OUT_INT -> (long) out.getInt(0);
            case OUT_DOUBLE -> out.getDouble(0);
            case OUT_STRUCT -> new Values.Instance(parameter.struct(), out);
            case OUT_TEXT -> out.getLong(0) == 0
                    ? ""
                    : Native.BRIDGE.text(out.getLong(0));
            default -> out.getLong(0);
        };
    }

    private static String camelCase(String function) {
        return Pattern.compile("_(\\w)").matcher(function.substring(3)).replaceAll(m -> m.group(1).toUpperCase());
    }
}

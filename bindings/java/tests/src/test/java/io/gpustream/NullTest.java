// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** No public method accepts null, and the exception names the parameter. */
class NullTest {
    /** Parameters for which null has a meaning. */
    private static final Set<String> MEANT = Set.of("Inventory.parseVisibleDevices.value");

    @Test
    void everyNullIsNamed() throws Exception {
        List<String> wrong = new ArrayList<>();
        int calls = 0;
        try (Samples samples = new Samples();
                Trace trace = samples.add(Trace.start())) {
            for (Samples.Call call : Samples.calls()) {
                Parameter[] parameters = call.method().getParameters();
                for (int i = 0; i < parameters.length; i++) {
                    String name = parameters[i].getName();
                    String what = call.name() + "." + name;
                    if (parameters[i].getType().isPrimitive() || MEANT.contains(what)) {
                        continue;
                    }
                    Object[] arguments = samples.arguments(call.method());
                    arguments[i] = null;
                    calls++;
                    try {
                        call.method().invoke(call.isStatic() ? null : samples.any(call.type()), arguments);
                        wrong.add(what + ": null was taken");
                    } catch (InvocationTargetException thrown) {
                        Throwable cause = thrown.getCause();
                        if (!(cause instanceof NullPointerException) || !name.equals(cause.getMessage())) {
                            wrong.add(what + ": " + cause);
                        }
                    }
                }
            }
            assertTrue(trace.isRunning());
        }
        assertEquals(List.of(), wrong);
        assertTrue(calls > 200, "the classes were not found: " + calls);
    }
}

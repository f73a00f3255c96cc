// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.*;
import org.junit.jupiter.api.Test;

/** What every public method refuses: null, whose parameter the exception names, closed objects, texts with a NUL, and limits below zero. */
class ClosedTest {
    /** What ends with something that can be closed. */
    private static final Set<Class<?>> ENDING = Set.of(Kernel.class, MemoryWord.class, GraphCondition.class, Memory.class);

    /** What a closed object still answers, and calls that look at their arguments later. */
    private static final Set<String> ANSWERED = Set.of(
            "isOpen", "close", "byteSize", "slice", "name", "size", "captureNodes", "Capture.graph", "KernelModule.device",
            "StreamContext.device", "StreamContext.stream", "StreamContext.executor", "TaskStreams.device",
            "TaskStreams.executor", "TaskStreams.workers", "TaskStreams.orderBefore", "GraphCondition.node",
            "GraphCondition.body", "GraphCondition.bodies", "MemoryWord.of32", "MemoryWord.of64", "StreamScope.close");
    /** Where Java has no access at all, open or closed. */
    private static final Set<String> NO_ACCESS = Set.of("DeviceMemory.asSegment", "DeviceBuffer.asSegment");

    /** Parameters for which null has a meaning. */
    private static final Set<String> MEANT = Set.of("Inventory.parseVisibleDevices.value");

    private final List<String> wrong = new ArrayList<>();
    private int calls;

    private static boolean isAnswered(Samples.Call call) {
        return ANSWERED.contains(call.method().getName()) || ANSWERED.contains(call.name()) || NO_ACCESS.contains(call.name());
    }

    private void refused(Samples.Call call, Object self, Object[] arguments, Class<?> expected, String message)
            throws IllegalAccessException {
        calls++;
        try {
            call.method().invoke(self, arguments);
            wrong.add(call.method() + ": it was not refused");
        } catch (InvocationTargetException thrown) {
            Throwable cause = thrown.getCause();
            if (cause.getClass() != expected || !Objects.toString(cause.getMessage()).matches(message)) {
                wrong.add(call.method() + ": " + cause);
            }
        }
    }

    @Test
    void closedObjects() throws Exception {
        String message = ".* (is|are) (closed|over)";
        Samples closed = new Samples();
        closed.close();
        try (Samples open = new Samples()) {
            for (Samples.Call call : Samples.calls()) {
                if (isAnswered(call)) {
                    continue;
                }
                boolean ofGraph = call.type() == GraphNode.class && !call.method().getName().matches("graph|number");
                if (!call.isStatic() && (isEnding(call.type()) || ofGraph)) {
                    Object[] arguments = open.arguments(call.method());
                    refused(call, closed.any(call.type()), arguments, IllegalStateException.class, message);
                }
                for (int i = 0; i < call.method().getParameterCount(); i++) {
                    Class<?> parameter = call.method().getParameterTypes()[i];
                    if (isEnding(parameter)) {
                        Object[] arguments = open.arguments(call.method());
                        arguments[i] = closed.any(parameter);
                        Object self = call.isStatic() ? null : open.any(call.type());
                        refused(call, self, arguments, IllegalStateException.class, message);
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(calls > 250, "only " + calls + " calls were made");
    }

    private static boolean isEnding(Class<?> type) {
        boolean closeable = AutoCloseable.class.isAssignableFrom(type) && type.getName().startsWith("io.gpustream.");
        boolean scope = ThreadScope.class.isAssignableFrom(type) || type == Trace.class || type == Range.class
                || type == StartedRange.class || type == CheckedAccess.class || type == StreamPool.class;
        return closeable && !scope || ENDING.contains(type);
    }

    private void everyParameter(Class<?> type, Object value, String message, Set<String> others) throws Exception {
        try (Samples samples = new Samples()) {
            for (Samples.Call call : Samples.calls()) {
                for (int i = 0; i < call.method().getParameterCount(); i++) {
                    if (call.method().getParameterTypes()[i] == type && !others.contains(call.name())) {
                        Object[] arguments = samples.arguments(call.method());
                        arguments[i] = value;
                        Object self = call.isStatic() ? null : samples.any(call.type());
                        String named = call.method().getParameters()[i].getName() + message;
                        refused(call, self, arguments, IllegalArgumentException.class, named);
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(calls > 5, "only " + calls + " calls were made");
    }

    @Test
    void textsWithANul() throws Exception {
        // No bridge and no kernel has such a name, which is what these say.
        Set<String> others = Set.of("Bridge.find", "Bridge.register", "KernelModule.kernel");
        everyParameter(String.class, "a\0b", " contains a NUL", others);
    }

    @Test
    void limitsBelowZero() throws Exception {
        everyParameter(Duration.class, Duration.ofNanos(-1), " is PT-0.000000001S", Set.of());
    }

    @Test
    void everyNullIsNamed() throws Exception {
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

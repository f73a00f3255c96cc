// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.io.IOException;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.*;
import java.util.jar.JarFile;

/** An object of each public type, as receivers and arguments of calls that are made by reflection. */
final class Samples implements AutoCloseable {
    private final Map<Class<?>, Object> objects = new LinkedHashMap<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    Samples() throws ReflectiveOperationException {
        Device host = add(Device.of(Backend.HOST, 0));
        Stream stream = add(Stream.create(host));
        Stream uncaptured = add(Stream.create(host), AutoCloseable.class);
        add(Stream.fromNative(uncaptured.nativeHandle(), host));
        Event event = add(Event.create());
        event.record(uncaptured);
        add(ArrowSyncEvent.of(event));
        HostMemory memory = add(HostMemory.allocate(16), HostMemory.class, Memory.class);
        add(uncaptured.allocate(16), DeviceMemory.class, MemorySegments.class);
        HostBuffer buffer = add(HostBuffer.allocate(16, uncaptured));
        add(buffer.slice(0, 16), StreamBuffer.class);
        add(DeviceBuffer.allocate(16, uncaptured));
        KernelModule module = add(KernelModule.load(host, Support.PARITY_LIBRARY));
        add(module.kernel("parity_scale"));
        Graph graph = add(Graph.create(host));
        add(graph.instantiate());
        GraphNode node = add(graph.addEmpty());
        add(new GraphEdge(node, node));
        add(graph.addCondition(ConditionKind.IF, 1, 0));
        add(stream.capture(CaptureMode.RELAXED));
        add(CompletionQueue.create(1));
        add(Timeline.create(host, 0));
        add(Partition.create(host, new int[] {1}).get(0));
        add(TaskStreams.create(host));
        add(StreamContext.current());
        add(Stream.builder());
        add(Event.builder());
        add(stream.pack());
        add(LaunchConfig.of(1, 1));
        add(LaunchAttributes.NONE);
        add(IpcHandle.of(new byte[64]));
        add(Token.of(new byte[Token.BYTES]));
        add(MemoryWord.of64(memory, 0));
        add(RandomState.of(host));
        add(Failure.of(Status.FULL, "a sample"));
        add(ByteBuffer.allocateDirect(16), ByteBuffer.class);
        add(Duration.ZERO);
        add(List.of(), List.class);
        add("text");
        add(new Object());
        add(Path.of("file"), Path.class);
        for (Method method : HostMemory.class.getMethods()) { // from Java 22 on
            if (method.getName().equals("asSegment")) {
                add(method.invoke(memory), method.getReturnType());
            }
        }
    }

    <T> T add(T object, Class<?>... types) {
        for (Class<?> type : types.length == 0 ? new Class<?>[] {object.getClass()} : types) {
            objects.put(type, object);
        }
        if (object instanceof AutoCloseable closeable) {
            open.push(closeable);
        }
        return object;
    }

    /** Any object or number of the type. */
    Object any(Class<?> type) {
        if (type.isPrimitive()) {
            return type == boolean.class ? (Object) false : type == long.class ? (Object) 1L : (Object) 1;
        }
        Object found = objects.get(type);
        if (found != null) {
            return found;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (!type.isInterface() || type.isSealed()) {
            throw new AssertionError("the test has no sample of " + type);
        }
        return Proxy.newProxyInstance(Samples.class.getClassLoader(), new Class<?>[] {type}, (self, method, given) ->
                method.getReturnType() == long.class ? (Object) 0L : null);
    }

    /** An argument for each parameter. */
    Object[] arguments(Method method) {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = any(method.getParameterTypes()[i]);
        }
        return arguments;
    }

    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            AutoCloseable one = open.pop();
            one.close();
            one.close();
        }
    }

    /** A method as it can be called on an object of a public class. */
    record Call(Class<?> type, Method method) {
        boolean isStatic() {
            return Modifier.isStatic(method.getModifiers());
        }

        String name() {
            return type.getSimpleName() + "." + method.getName();
        }
    }

    /** All methods of all public classes, but for those of every object. */
    static List<Call> calls() throws IOException, ClassNotFoundException {
        List<Call> calls = new ArrayList<>();
        try (JarFile archive = new JarFile(Child.element("/gpustream/target"))) {
            for (var entry : archive.stream().toList()) {
                if (!entry.getName().matches("io/gpustream/\\w+\\.class")) {
                    continue;
                }
                Class<?> type = Class.forName(entry.getName().replace('/', '.').replace(".class", ""));
                // The methods of a sealed interface are those of its class, where they are called.
                if (!Modifier.isPublic(type.getModifiers()) || type.isInterface() && type.isSealed()) {
                    continue;
                }
                for (Method method : type.getMethods()) {
                    boolean ours = method.getDeclaringClass().getName().startsWith("io.gpustream.");
                    boolean common = method.getName().matches("equals|hashCode|toString|valueOf|compareTo");
                    if (ours && !method.isBridge() && !common) {
                        method.setAccessible(true); // its class may be hidden behind the public subclass
                        calls.add(new Call(type, method));
                    }
                }
            }
        }
        return calls;
    }
}

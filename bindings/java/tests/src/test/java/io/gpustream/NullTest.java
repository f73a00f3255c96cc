// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.function.IntToLongFunction;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** No public method accepts null, and the exception names the parameter. */
class NullTest {
    /** Parameters for which null has a meaning. */
    private static final Set<String> MEANT = Set.of("Inventory.parseVisibleDevices.value");

    private final Map<Class<?>, Object> samples = new LinkedHashMap<>();

    private static List<Class<?>> publicClasses() throws IOException, ClassNotFoundException {
        List<Class<?>> classes = new ArrayList<>();
        try (JarFile archive = new JarFile(Child.element("/gpustream/target"))) {
            for (var entry : archive.stream().toList()) {
                if (entry.getName().matches("io/gpustream/\\w+\\.class")) {
                    Class<?> type = Class.forName(entry.getName().replace('/', '.').replace(".class", ""));
                    // The methods of a sealed interface are those of its class, where they are called.
                    boolean part = type.isInterface() && type.isSealed();
                    if (Modifier.isPublic(type.getModifiers()) && !part) {
                        classes.add(type);
                    }
                }
            }
        }
        return classes;
    }

    private <T> T sample(T object, Class<? super T> type) {
        samples.put(type, object);
        return object;
    }

    /** Any value of the type; it does not matter which, as the null must be found first. */
    private Object any(Class<?> type) {
        if (type == int.class) {
            return 0;
        }
        if (type == long.class) {
            return 0L;
        }
        Object found = samples.get(type);
        assertTrue(found != null, () -> "the test has no sample of " + type);
        return found;
    }

    @Test
    void everyNullIsNamed() throws Exception {
        Device host = sample(Device.of(Backend.HOST, 0), Device.class);
        List<String> wrong = new ArrayList<>();
        int calls = 0;
        try (Stream stream = sample(Stream.create(host), Stream.class);
                Event event = sample(Event.create(), Event.class);
                HostMemory memory = sample(HostMemory.allocate(16), HostMemory.class);
                DeviceMemory device = sample(stream.allocate(16), DeviceMemory.class);
                Stream uncaptured = Stream.create(host);
                HostBuffer hostBuffer = sample(HostBuffer.allocate(16, uncaptured), HostBuffer.class);
                DeviceBuffer buffer = sample(DeviceBuffer.allocate(16, uncaptured), DeviceBuffer.class);
                KernelModule module = sample(KernelModule.load(host, Support.PARITY_LIBRARY), KernelModule.class);
                Graph graph = sample(Graph.create(host), Graph.class);
                Capture capture = sample(stream.capture(CaptureMode.RELAXED), Capture.class);
                GraphExec exec = sample(graph.instantiate(), GraphExec.class);
                CompletionQueue queue = sample(CompletionQueue.create(1), CompletionQueue.class);
                Timeline timeline = sample(Timeline.create(host, 0), Timeline.class);
                Partition part = sample(onePartition(host), Partition.class);
                TaskStreams tasks = sample(TaskStreams.create(host), TaskStreams.class);
                StreamContext context = sample(StreamContext.current(), StreamContext.class);
                Trace trace = sample(Trace.start(), Trace.class)) {
            sample(Stream.fromNative(stream.nativeHandle(), host), ExternalStream.class);
            samples.put(Memory.class, memory);
            samples.put(StreamBuffer.class, hostBuffer.slice(0, 8));
            samples.put(MemorySegments.class, device);
            sample(module.kernel("parity_scale"), Kernel.class);
            sample(LaunchConfig.of(1, 1), LaunchConfig.class);
            sample(Stream.builder(), StreamBuilder.class);
            sample(Event.builder(), EventBuilder.class);
            sample(stream.pack(), StreamTriple.class);
            sample(IpcHandle.of(new byte[64]), IpcHandle.class);
            sample(Token.of(new byte[Token.BYTES]), Token.class);
            sample(Backend.HOST, Backend.class);
            sample(StreamFlag.BLOCKING, StreamFlag.class);
            sample(EventFlag.TIMING, EventFlag.class);
            sample(ByteBuffer.allocateDirect(16), ByteBuffer.class);
            sample((Runnable) () -> {}, Runnable.class);
            sample((Executor) Runnable::run, Executor.class);
            sample(ForkJoinPool.commonPool(), ExecutorService.class);
            sample((Callable<Object>) () -> null, Callable.class);
            sample(Duration.ZERO, Duration.class);
            sample(WaitMode.DRIVER, WaitMode.class);
            sample(MemoryWord.of64(memory, 0), MemoryWord.class);
            sample(WordCondition.EQUAL, WordCondition.class);
            sample(Status.ABORTED, Status.class);
            sample((IntToLongFunction) ordinal -> 0, IntToLongFunction.class);
            sample(List.of(), List.class);
            sample(new byte[1], byte[].class);
            GraphNode node = sample(graph.addEmpty(), GraphNode.class);
            sample(new GraphNode[0], GraphNode[].class);
            sample(new InstantiateFlag[0], InstantiateFlag[].class);
            sample(new TraceFlag[0], TraceFlag[].class);
            sample(new PartitionOption[0], PartitionOption[].class);
            sample(new StreamFlag[0], StreamFlag[].class);
            sample(new int[] {1}, int[].class);
            sample(RandomState.of(host), RandomState.class);
            sample(new GraphEdge(node, node), GraphEdge.class);
            sample(graph.addCondition(ConditionKind.IF, 1, 0), GraphCondition.class);
            sample(CaptureMode.RELAXED, CaptureMode.class);
            sample(AccessOrder.ANY, AccessOrder.class);
            sample(ConditionKind.IF, ConditionKind.class);
            sample(new Object(), Object.class);
            sample(new Object[0], Object[].class);
            sample("text", String.class);
            sample(Path.of("file"), Path.class);
            sample(
                    new Bridge.Streams() {
                        @Override
                        public long get(int ordinal) {
                            return 0;
                        }

                        @Override
                        public void set(int ordinal, long nativeHandle) {}
                    },
                    Bridge.Streams.class);
            sampleSegment(memory);
            for (Class<?> type : publicClasses()) {
                for (Method method : type.getMethods()) {
                    boolean ours = method.getDeclaringClass().getName().startsWith("io.gpustream.");
                    if (ours && !method.isBridge() && !method.getName().matches("equals|valueOf|compareTo")) {
                        calls += call(type, method, wrong);
                    }
                }
            }
            assertTrue(event.isOpen() && stream.isOpen() && capture.isOpen() && exec.isOpen() && trace.isRunning());
            assertTrue(buffer.address() != 0 && queue.isOpen() && context.isOpen() && timeline.isOpen());
            assertEquals(0, part.info().streams());
            assertEquals(0, tasks.size());
        }
        assertEquals(List.of(), wrong);
        assertTrue(calls > 40, "the classes were not found: " + calls);
    }

    private static Partition onePartition(Device device) {
        return Partition.create(device, new int[] {1}).get(0);
    }

    // From Java 22 on.
    private void sampleSegment(HostMemory memory) throws ReflectiveOperationException {
        for (Method method : HostMemory.class.getMethods()) {
            if (method.getName().equals("asSegment")) {
                samples.put(method.getReturnType(), method.invoke(memory));
            }
        }
    }

    private int call(Class<?> type, Method method, List<String> wrong) throws IllegalAccessException {
        int calls = 0;
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            String name = method.getParameters()[i].getName();
            String what = type.getSimpleName() + "." + method.getName() + "." + name;
            if (types[i].isPrimitive() || MEANT.contains(what)) {
                continue;
            }
            Object[] arguments = new Object[types.length];
            for (int k = 0; k < types.length; k++) {
                arguments[k] = k == i ? null : any(types[k]);
            }
            calls++;
            try {
                method.setAccessible(true); // the class that declares it may be hidden behind its public subclass
                method.invoke(Modifier.isStatic(method.getModifiers()) ? null : any(type), arguments);
                wrong.add(what + ": null was taken");
            } catch (InvocationTargetException thrown) {
                Throwable cause = thrown.getCause();
                if (!(cause instanceof NullPointerException) || !name.equals(cause.getMessage())) {
                    wrong.add(what + ": " + cause);
                }
            }
        }
        return calls;
    }
}

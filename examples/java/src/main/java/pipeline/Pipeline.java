// SPDX-License-Identifier: Apache-2.0
package pipeline;

import io.gpustream.Backend;
import io.gpustream.Device;
import io.gpustream.GpuStreamException;
import io.gpustream.KernelModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/**
 * Runs a file through a device in chunks and checks CRC-32 and byte histogram against a sequential pass, as
 * examples/pipeline does in C++. Exit status: 0 right, 1 wrong result, 2 usage, 3 file, 4 device.
 */
public final class Pipeline {
    private static final String USAGE = """
            usage: pipeline FILE --kernels FILE [--workers N] [--chunk BYTES] [--backend host|cuda|auto]

              --kernels FILE   the kernel: pipeline_kernels.so for host, kernels.ptx for cuda
              --workers N      worker threads with three streams each, 1 to 64 (default 2)
              --chunk BYTES    size of a chunk, 1 to 2^30 (default 4194304)
              --backend NAME   host, cuda, or auto (the default)""";

    private final Path path;
    private Path kernels;
    private int workers = 2;
    private int chunkBytes = 4 << 20;
    private Backend backend;

    private Pipeline(String[] arguments) {
        Path file = null;
        for (int i = 0; i < arguments.length; i++) {
            String name = arguments[i];
            if (!name.startsWith("--")) {
                require(file == null, "more than one file given");
                file = Path.of(name);
                continue;
            }
            require(i + 1 < arguments.length, name + " needs a value");
            String value = arguments[++i];
            switch (name) {
                case "--kernels" -> kernels = Path.of(value);
                case "--workers" -> workers = number(name, value, 64);
                case "--chunk" -> chunkBytes = number(name, value, 1 << 30);
                case "--backend" -> backend = backend(value);
                default -> throw new IllegalArgumentException("unknown option '" + name + "'");
            }
        }
        require(file != null && kernels != null, "FILE and --kernels are wanted");
        path = file;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static int number(String name, String text, int most) {
        int value = text.matches("\\d{1,10}") ? (int) Math.min(Long.parseLong(text), Integer.MAX_VALUE) : 0;
        require(value >= 1 && value <= most, "'" + text + "' is no value for " + name + ": 1 to " + most);
        return value;
    }

    private static Backend backend(String text) {
        return switch (text) {
            case "host" -> Backend.HOST;
            case "cuda" -> Backend.CUDA;
            case "auto" -> null;
            default -> throw new IllegalArgumentException("'" + text + "' is no backend: host, cuda or auto");
        };
    }

    public static void main(String[] arguments) {
        int status;
        try {
            status = new Pipeline(arguments).run() ? 0 : 1;
        } catch (IllegalArgumentException wrong) {
            System.err.println("pipeline: " + wrong.getMessage() + "\n" + USAGE);
            status = 2;
        } catch (IOException unreadable) {
            System.err.println("pipeline: " + unreadable);
            status = 3;
        } catch (GpuStreamException failed) {
            System.err.println("pipeline: " + failed.getMessage());
            status = 4;
        }
        System.exit(status);
    }

    private boolean run() throws IOException {
        Device device = Device.of(backend != null ? backend : Backend.defaultBackend(), 0);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
                KernelModule module = KernelModule.load(device, kernels)) {
            long length = file.size();
            if (length == 0) {
                throw new IOException("'" + path + "' is empty");
            }
            Digest digest = new Digest(length);
            long started = System.nanoTime();
            drive(device, module, file, digest, (int) Math.min(chunkBytes, length));
            double seconds = (System.nanoTime() - started) / 1e9;
            System.out.printf("%s, %d bytes, %d streams on %s (%s): %.2f GB/s%n", path.getFileName(), length,
                    3 * workers, device, device.info().name(), length / seconds / 1e9);
            return verdict(file, digest, length);
        }
    }

    private void drive(Device device, KernelModule module, FileChannel file, Digest digest, int chunk)
            throws IOException {
        long length = file.size();
        AtomicLong position = new AtomicLong();
        ExecutorService executor = Executors.newFixedThreadPool(workers);
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            futures.add(executor.submit(() -> {
                try (Lane lane = new Lane(device, module.kernel("crc_and_histogram"), file, digest, chunk)) {
                    for (long at = position.getAndAdd(chunk); at < length; at = position.getAndAdd(chunk)) {
                        lane.process(at, (int) Math.min(chunk, length - at));
                    }
                    lane.finish();
                } catch (IOException | RuntimeException failed) {
                    position.set(Long.MAX_VALUE / 2); // stops the other lanes
                    throw failed;
                }
                return null;
            }));
        }
        executor.shutdown();
        for (Future<?> future : futures) {
            await(future);
        }
    }

    private static void await(Future<?> future) throws IOException {
        try {
            future.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException unreadable) {
                throw unreadable;
            }
            throw failed.getCause() instanceof RuntimeException known ? known : new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static boolean verdict(FileChannel file, Digest digest, long length) throws IOException {
        CRC32 crc = new CRC32();
        long[] histogram = new long[Digest.BINS];
        ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
        for (long at = 0; at < length; at += buffer.limit()) {
            if (file.read(buffer.clear(), at) <= 0) {
                throw new IOException("the file has shrunk while it was processed");
            }
            buffer.flip();
            crc.update(buffer.array(), 0, buffer.limit());
            for (int i = 0; i < buffer.limit(); i++) {
                histogram[buffer.get(i) & 0xFF]++;
            }
        }
        boolean right = digest.bytes() == length
                && digest.crc32() == (int) crc.getValue()
                && digest.hasHistogram(histogram);
        if (right) {
            System.out.printf("CRC-32 %08x and histogram agree with a sequential pass over %d bytes%n",
                    digest.crc32(), length);
        } else {
            System.err.printf("pipeline: the result is wrong: CRC-32 %08x, sequential pass %08x%n",
                    digest.crc32(), (int) crc.getValue());
        }
        return right;
    }
}

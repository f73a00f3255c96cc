// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example computes what the C++ example computes, with the same kernel. */
@Tag("processes")
class ExampleTest {
    private static final Path PROGRAMS = Support.BINARY.resolve("bin");
    private static final Path KERNELS = PROGRAMS.resolve("pipeline_kernels.so");

    @TempDir
    Path folder;

    private static Child.Result example(Path file, String... more) {
        String[] arguments = new String[5 + more.length];
        arguments[0] = file.toString();
        arguments[1] = "--kernels";
        arguments[2] = KERNELS.toString();
        arguments[3] = "--backend";
        arguments[4] = "host";
        System.arraycopy(more, 0, arguments, 5, more.length);
        return new Child("pipeline.Pipeline", arguments)
                .environment("GPUSTREAM_CHECK", "abort")
                .run();
    }

    private static String verdict(String output) {
        return output.lines()
                .filter(line -> line.startsWith("CRC-32 "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(output));
    }

    private static Child.Result theOther(Path file, String backend) throws IOException, InterruptedException {
        String program = PROGRAMS.resolve("pipeline").toString();
        Process process = new ProcessBuilder(program, file.toString(), "--backend", backend)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        return new Child.Result(process.waitFor(), output);
    }

    @Test
    void sizesAroundChunksAndSlices() throws Exception {
        byte[] content = new byte[200_001];
        new SplittableRandom(1).nextBytes(content);
        for (int size : new int[] {1, 16383, 16384, 16385, 65536, 65537, 200_001}) {
            Path file = Files.write(folder.resolve("file" + size), java.util.Arrays.copyOf(content, size));
            String result = verdict(example(file, "--chunk", "65536", "--workers", "3").succeeded().output());
            assertEquals(verdict(theOther(file, "host").succeeded().output()), result);
        }
    }

    /** The fake driver loads CUDA kernels but cannot run them: both examples report that in the same words. */
    @Test
    void whatTheDriverRefusesEndsBothAlike() throws Exception {
        Path file = Support.BINARY.resolve("libgpustream.so.0");
        String kernels = Support.SOURCE.resolve("examples/pipeline/kernels.ptx").toString();
        Child.Result ours =
                new Child("pipeline.Pipeline", file.toString(), "--kernels", kernels, "--backend", "cuda").run();
        Child.Result theirs = theOther(file, "cuda");
        assertEquals(theirs.status(), ours.status(), ours.output());
        for (Child.Result result : new Child.Result[] {ours, theirs}) {
            assertTrue(result.output().contains("GS_ERROR_NOT_SUPPORTED"), result.output());
            assertTrue(result.output().contains("cuLaunchKernel"), result.output());
        }
    }

    @Test
    void failuresHaveTheirStatus() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty"));
        assertEquals(3, example(empty).status());
        assertEquals(3, example(folder.resolve("absent")).status());
        assertEquals(2, example(empty, "--workers", "0").status());
        assertEquals(2, example(empty, "--teleport", "1").status());
        Path file = Files.writeString(folder.resolve("file"), "content");
        Child.Result wrong = new Child("pipeline.Pipeline", file.toString(), "--kernels", file.toString()).run();
        assertEquals(4, wrong.status(), wrong.output());
        assertTrue(wrong.output().contains("pipeline: GS_ERROR_"), wrong.output());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Where the native library comes from, each case in a virtual machine of its own. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("processes")
class LoadingTest {
    private static final String LAYER = System.getProperty("gpustream.layer");
    private static final Path CORE_FOLDER = Support.BINARY;
    private static final Path JNI_FOLDER = Support.BINARY.resolve("bindings/java");

    @TempDir
    Path folder;

    /** Prints where the library of the process is. */
    static final class Report {
        public static void main(String[] arguments) throws IOException {
            try {
                Library.version();
            } catch (UnsatisfiedLinkError missing) {
                System.out.println(missing.getMessage());
                System.exit(1);
            }
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
                maps.filter(line -> line.contains("libgpustream.so"))
                        .map(line -> line.substring(line.indexOf('/')))
                        .distinct()
                        .forEach(System.out::println);
            }
            System.out.println(Library.layer() + " " + Library.instanceCount());
        }
    }

    private Child report() {
        return new Child(Report.class).property("gpustream.cache.dir", folder.toString());
    }

    private static String onlyLibrary(String output) {
        List<String> lines = output.lines().toList();
        assertEquals(2, lines.size(), output);
        assertEquals(LAYER + " 1", lines.get(1));
        return lines.get(0);
    }

    private List<Path> extracted() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void theBundledCopyIsExtractedOnce() throws IOException {
        String used = onlyLibrary(report().output());
        assertTrue(used.startsWith(folder.toString()), used);
        List<Path> files = extracted();
        assertEquals(3, files.size()); // one is the tools of the library
        Path file = Path.of(used);
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
        var written = Files.getLastModifiedTime(file);
        assertEquals(used, onlyLibrary(report().output()));
        assertEquals(written, Files.getLastModifiedTime(file));
        assertEquals(files, extracted());
    }

    @Test
    void whatWasChangedInTheCacheIsReplaced() throws IOException {
        Path file = Path.of(onlyLibrary(report().output()));
        byte[] right = Files.readAllBytes(file);
        Files.write(file, new byte[] {1, 2, 3});
        onlyLibrary(report().output());
        assertEquals(right.length, Files.size(file));
        byte[] altered = right.clone();
        altered[altered.length / 2] ^= 1;
        Files.write(file, altered);
        onlyLibrary(report().output());
        assertEquals(-1, java.util.Arrays.mismatch(right, Files.readAllBytes(file)));
    }

    @Test
    void manyProcessesExtractAtOnce() throws Exception {
        List<Process> processes = new ArrayList<>();
        List<Path> outputs = new ArrayList<>();
        Path cache = folder.resolve("cache");
        for (int i = 0; i < 6; i++) {
            outputs.add(folder.resolve("output" + i));
            processes.add(report().property("gpustream.cache.dir", cache.toString()).start(outputs.get(i)));
        }
        for (int i = 0; i < processes.size(); i++) {
            assertTrue(processes.get(i).waitFor(Support.PATIENCE_SECONDS, TimeUnit.SECONDS));
            String output = Files.readString(outputs.get(i));
            assertEquals(0, processes.get(i).exitValue(), output);
            onlyLibrary(output);
        }
        try (Stream<Path> files = Files.walk(cache)) {
            assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".part")).toList());
        }
    }

    private Child withoutHome() {
        return report()
                .property("gpustream.cache.dir", null)
                .environment("XDG_CACHE_HOME", "")
                .property("user.home", "/proc/none") // even root cannot create folders there
                .property("java.io.tmpdir", folder.toString());
    }

    @Test
    void withoutAHomeTheCacheIsInAPrivateTemporaryFolder() throws IOException {
        Path cache = folder.resolve("gpustream-" + System.getProperty("user.name"));
        String used = onlyLibrary(withoutHome().output());
        assertTrue(used.startsWith(cache + "/"), used);
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)));
        assertEquals(used, onlyLibrary(withoutHome().property("user.home", "?").output()));
    }

    @Test
    void aTemporaryFolderOpenToOthersIsRefused() throws IOException {
        Path cache = Files.createDirectory(folder.resolve("gpustream-" + System.getProperty("user.name")));
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        String output = withoutHome().failure();
        assertTrue(output.contains(cache + " is not a folder of this user alone"), output);
        Files.delete(cache);
        Files.createSymbolicLink(cache, Files.createDirectory(folder.resolve("elsewhere")));
        output = withoutHome().failure();
        assertTrue(output.contains(cache + " is not a folder of this user alone"), output);
    }

    @Test
    void aStatedCacheIsTheOnlyOne() {
        String output = withoutHome().property("gpustream.cache.dir", "/proc/none").failure();
        assertTrue(output.contains("/proc/none"), output);
        assertTrue(!output.contains(folder.toString()), output);
    }

    @Test
    void theNameComesFirst() {
        Child child = report()
                .environment("LD_LIBRARY_PATH", CORE_FOLDER.toString())
                .property("gpustream.library.path", folder.toString());
        String used = onlyLibrary(child.output());
        assertTrue(used.startsWith(CORE_FOLDER.toString()), used);
    }

    @Test
    void thenTheStatedFolder() throws IOException {
        Path stated = Files.createDirectory(folder.resolve("stated"));
        Files.copy(CORE_FOLDER.resolve("libgpustream.so.0"), stated.resolve("libgpustream.so.0"));
        Files.copy(JNI_FOLDER.resolve("libgpustreamjni.so"), stated.resolve("libgpustreamjni.so"));
        Child child = report().without("natives").property("gpustream.library.path", stated.toString());
        assertEquals(stated.resolve("libgpustream.so.0").toString(), onlyLibrary(child.output()));
    }

    private String failedWithoutNatives() {
        Child child = report().without("natives").property("gpustream.library.path", folder.toString());
        return child.failure();
    }

    @Test
    void theErrorSaysWhatWasTried() {
        String file = LAYER.equals("jni") ? "libgpustreamjni.so" : "libgpustream.so.0";
        String output = failedWithoutNatives();
        assertTrue(output.contains("cannot load " + file + " on linux-x86_64; tried\n"), output);
        assertTrue(output.contains("-Dgpustream.library.path: no file " + folder.resolve(file)), output);
        assertTrue(output.contains("bundled copy: no META-INF/gpustream/linux-x86_64/" + file), output);
        assertTrue(output.contains("add gpustream-natives to the class path"), output);
        assertEquals(1, output.lines().filter(line -> line.contains("bundled copy")).count(), output);
    }

    /** From Java 24 on the virtual machine may refuse native code; the message names the flag that permits it. */
    @Test
    void deniedNativeAccessIsNamed() {
        if (Runtime.version().feature() < 24) {
            return;
        }
        for (String layer : List.of("ffm", "jni")) {
            String output = report()
                    .property("gpustream.layer", layer)
                    .withoutOption("--enable-native-access=ALL-UNNAMED")
                    .option("--illegal-native-access=deny")
                    .failure();
            assertTrue(output.contains("start it with --enable-native-access=ALL-UNNAMED"), output);
        }
    }

    @Test // the core alone is not enough for either layer
    void theErrorNamesTheLibraryOfJava() throws IOException {
        Files.copy(CORE_FOLDER.resolve("libgpustream.so.0"), folder.resolve("libgpustream.so.0"));
        String output = failedWithoutNatives();
        assertTrue(output.contains("cannot load libgpustreamjni.so on linux-x86_64; tried\n"), output);
    }

    @Test
    void anUnsupportedPlatformIsNamed() {
        String output = report().property("os.arch", "sparcv9").failure();
        assertTrue(output.contains("on linux-sparcv9; tried"), output);
        assertTrue(output.contains("there are archives for linux-x86_64 and linux-aarch64"), output);
    }

    @Test
    void aForeignFileIsNoLibrary() throws IOException {
        Files.writeString(folder.resolve("libgpustream.so.0"), "no library");
        Files.writeString(folder.resolve("libgpustreamjni.so"), "no library");
        assertTrue(failedWithoutNatives().contains(folder.resolve("libgpustream").toString()));
    }

    @Test
    void unknownAndAbsentLayersAreNamed() {
        String output = report().property("gpustream.layer", "telepathy").failure();
        assertTrue(output.contains("-Dgpustream.layer=telepathy: a layer is 'ffm' or 'jni'"), output);
        if (Runtime.version().feature() < 22) {
            output = report().property("gpustream.layer", "ffm").failure();
            assertTrue(output.contains("FFM needs Java 22 or newer"), output);
        }
    }

    @Test
    void theDefaultLayerFollowsTheVirtualMachine() {
        String output = report().property("gpustream.layer", null).output();
        String wanted = Runtime.version().feature() < 22 ? "jni 1" : "ffm 1";
        assertTrue(output.lines().toList().contains(wanted), output);
    }

    @Test
    void theErrorSaysWhatAModuleLacks() {
        Child without = RecordingTest.asModule("", folder.toString()).property("gpustream.cache.dir", folder.toString());
        String output = without.failure();
        assertTrue(output.contains("module path, with --add-modules io.gpustream.natives"), output);
        if (Runtime.version().feature() >= 24) {
            output = without.withoutOption("--enable-native-access=io.gpustream")
                    .option("--illegal-native-access=deny")
                    .failure();
            assertTrue(output.contains("UnsatisfiedLinkError"), output);
            assertTrue(output.contains("start it with --enable-native-access=io.gpustream"), output);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The content of the archives that ship. */
@Tag("processes") // once is enough
class ArchiveTest {
    private static final String FFM = "META-INF/versions/22/io/gpustream/internal/ffm/FfmLayer.class";
    private static final Path CLASSES = Path.of(Child.element("/gpustream/target"));

    private static Path beside(String kind) {
        return CLASSES.resolveSibling(CLASSES.getFileName().toString().replace(".jar", kind + ".jar"));
    }

    private static List<String> names(Path archive) throws IOException {
        try (JarFile file = new JarFile(archive.toFile())) {
            return file.stream().map(entry -> entry.getName()).toList();
        }
    }

    @Test
    void theClasses() throws IOException {
        try (JarFile file = new JarFile(CLASSES.toFile())) {
            Attributes manifest = file.getManifest().getMainAttributes();
            assertEquals("true", manifest.getValue("Multi-Release"));
            assertEquals("ALL-UNNAMED", manifest.getValue("Enable-Native-Access"));
            assertEquals(Library.versionString(), manifest.getValue("Implementation-Version"));
            assertNotNull(file.getEntry("META-INF/LICENSE"));
            assertNotNull(file.getEntry("module-info.class"));
            assertNotNull(file.getEntry("io/gpustream/internal/Calls.class"));
        }
    }

    @Test
    void onlyThePublicPackageIsExported() throws IOException {
        try (JarFile file = new JarFile(CLASSES.toFile());
                InputStream stream = file.getInputStream(file.getEntry("module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(stream);
            assertEquals("io.gpustream", module.name());
            List<String> exports = module.exports().stream().map(ModuleDescriptor.Exports::source).toList();
            assertEquals(List.of("io.gpustream"), exports);
        }
    }

    /** A second form of a class for Java 22 has a first one beside it; only the FFM layer exists once. */
    @Test
    void everyClassHasAFirstForm() throws IOException {
        List<String> names = names(CLASSES);
        String versioned = "META-INF/versions/22/";
        List<String> alone = names.stream()
                .filter(name -> name.startsWith(versioned) && name.endsWith(".class"))
                .map(name -> name.substring(versioned.length()))
                .filter(name -> !name.startsWith("io/gpustream/internal/ffm/") && !names.contains(name))
                .toList();
        assertEquals(List.of(), alone);
    }

    /** The FFM layer is in the archive if it was built with a JDK of 22 or newer, and only then. */
    @Test
    void thePartForJava22() throws IOException {
        List<String> names = names(CLASSES);
        if (Boolean.getBoolean("gpustream.ffm.skip")) {
            assertEquals(List.of(), names.stream().filter(name -> name.startsWith("META-INF/versions")).toList());
        } else {
            assertTrue(names.contains(FFM), names::toString);
        }
    }

    @Test
    void sourcesAndJavadoc() throws IOException {
        List<String> sources = names(beside("-sources"));
        assertTrue(sources.contains("io/gpustream/Stream.java"), sources::toString);
        assertTrue(sources.stream().anyMatch(name -> name.endsWith("internal/ffm/FfmLayer.java")), sources::toString);
        List<String> pages = names(beside("-javadoc"));
        assertTrue(pages.contains("io.gpustream/io/gpustream/Stream.html"), pages::toString);
        assertTrue(pages.stream().noneMatch(name -> name.contains("internal")), pages::toString);
    }

    @Test
    void theNativeLibraries() throws IOException {
        try (JarFile file = new JarFile(Child.element("gpustream-natives"))) {
            assertEquals(
                    "io.gpustream.natives",
                    file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
            assertNotNull(file.getEntry("META-INF/LICENSE"));
            assertNotNull(file.getEntry("META-INF/gpustream/linux-x86_64/libgpustream.so.0"));
            assertNotNull(file.getEntry("META-INF/gpustream/linux-x86_64/libgpustreamjni.so"));
        }
    }
}

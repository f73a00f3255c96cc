// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The native libraries inside gpustream-natives. They are written once to a folder of the user's cache named by their
 * content, so that programs with other versions never meet, and a program never sees half a file.
 */
final class Bundle {
    /** Property with the folder to extract to. Default: the user's cache folder. */
    static final String CACHE_PROPERTY = "gpustream.cache.dir";

    // No package name, so that modules do not hide it.
    private static final String FOLDER = "META-INF/gpustream/" + Platform.NAME + "/";

    private Bundle() {}

    /** The extracted file. Throws IOException with a text that says what is missing. */
    static Path extract(String file) throws IOException {
        byte[] content;
        try (InputStream stream = Bundle.class.getClassLoader().getResourceAsStream(FOLDER + file)) {
            if (stream == null) {
                throw new IOException("no " + FOLDER + file + " on the class path (gpustream-natives with classifier "
                        + Platform.NAME + "; the supported platform is linux-x86_64)");
            }
            content = stream.readAllBytes();
        }
        Path folder = cache().resolve("gpustream").resolve(digest(content).substring(0, 32));
        Path target = folder.resolve(file);
        if (!holds(target, content)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            write(target, content);
        }
        return target;
    }

    // Read and compared every time: what lies in a cache may have been cut or changed.
    private static boolean holds(Path file, byte[] content) throws IOException {
        return Files.isRegularFile(file)
                && Files.size(file) == content.length
                && Arrays.equals(Files.readAllBytes(file), content);
    }

    private static void write(Path target, byte[] content) throws IOException {
        Path part = Files.createTempFile(target.getParent(), target.getFileName().toString(), ".part");
        try {
            Files.write(part, content);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException unsupported) {
            throw new IOException("the file system of " + target.getParent() + " cannot rename atomically; set -D"
                    + CACHE_PROPERTY, unsupported);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static Path cache() {
        String stated = System.getProperty(CACHE_PROPERTY);
        if (stated != null) {
            return Path.of(stated);
        }
        String xdg = System.getenv("XDG_CACHE_HOME");
        if (xdg != null && xdg.startsWith("/")) {
            return Path.of(xdg);
        }
        return Path.of(System.getProperty("user.home"), ".cache");
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

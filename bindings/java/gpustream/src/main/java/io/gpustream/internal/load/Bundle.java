// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;

/**
 * The native libraries inside gpustream-natives. They are extracted once, to a folder of the user's cache that is named
 * by their content, so that versions do not mix; an atomic rename makes each file appear complete. Where the home
 * folder is not writable, as in many containers, a private folder below the one for temporary files serves.
 */
final class Bundle {
    /** Property with the folder to extract to. Default: the user's cache folder. */
    static final String CACHE_PROPERTY = "gpustream.cache.dir";

    /** The platform as the archive names it: operating system and processor. */
    static final String PLATFORM = os() + "-" + architecture();

    // Unlike the name of a package, this name lets other modules read the folder.
    private static final String FOLDER = "META-INF/gpustream/" + PLATFORM + "/";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> PRIVATE = PosixFilePermissions.asFileAttribute(OWNER_ONLY);

    private Bundle() {}

    private static String os() {
        return System.getProperty("os.name", "unknown").toLowerCase(Locale.ROOT).split(" ")[0];
    }

    private static String architecture() {
        String name = System.getProperty("os.arch", "unknown").toLowerCase(Locale.ROOT);
        return switch (name) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> name;
        };
    }

    /** The first file, extracted with the others to one folder. The text of an IOException says what is missing. */
    static Path extract(String... files) throws IOException {
        byte[][] contents = new byte[files.length][];
        for (int i = 0; i < files.length; i++) {
            contents[i] = content(files[i]);
        }
        Path cache = cache();
        if (cache == null) {
            return extract(files, contents, temporary());
        }
        try {
            return extract(files, contents, cache.resolve("gpustream"));
        } catch (IOException unusable) {
            if (System.getProperty(CACHE_PROPERTY) != null) {
                throw unusable;
            }
            try {
                return extract(files, contents, temporary());
            } catch (IOException alsoUnusable) {
                throw new IOException(unusable + "; " + alsoUnusable, unusable);
            }
        }
    }

    private static byte[] content(String file) throws IOException {
        try (InputStream stream = Bundle.class.getClassLoader().getResourceAsStream(FOLDER + file)) {
            if (stream == null) {
                throw new IOException("no " + FOLDER + file + " among the resources (gpustream-natives with classifier "
                        + PLATFORM + "; there are archives for linux-x86_64 and linux-aarch64)");
            }
            return stream.readAllBytes();
        }
    }

    private static Path extract(String[] files, byte[][] contents, Path below) throws IOException {
        Path folder = below.resolve(digest(contents).substring(0, 32));
        for (int i = 0; i < files.length; i++) {
            Path target = folder.resolve(files[i]);
            if (!holds(target, contents[i])) {
                Files.createDirectories(folder, PRIVATE);
                write(target, contents[i]);
            }
        }
        return folder.resolve(files[0]);
    }

    // Every user may write to the parent folder, so this one must be private before anything is loaded from it.
    private static Path temporary() throws IOException {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"), "gpustream-" + System.getProperty("user.name"));
        try {
            Files.createDirectory(folder, PRIVATE);
        } catch (FileAlreadyExistsException already) {
            PosixFileAttributes found =
                    Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            Path probe = Files.createTempFile("gpustream", ".owner");
            try {
                if (!found.isDirectory()
                        || !found.owner().equals(Files.getOwner(probe))
                        || !found.permissions().equals(OWNER_ONLY)) {
                    throw new IOException(folder + " is not a folder of this user alone; set -D" + CACHE_PROPERTY);
                }
            } finally {
                Files.delete(probe);
            }
        }
        return folder;
    }

    // Compared every time: a file in the cache may have been truncated or changed.
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

    // Null if no folder is known, as for a user who is missing in the password database.
    private static Path cache() {
        String stated = System.getProperty(CACHE_PROPERTY);
        if (stated != null) {
            return Path.of(stated);
        }
        String xdg = System.getenv("XDG_CACHE_HOME");
        if (xdg != null && xdg.startsWith("/")) {
            return Path.of(xdg);
        }
        Path home = Path.of(System.getProperty("user.home", ""));
        return home.isAbsolute() ? home.resolve(".cache") : null;
    }

    private static String digest(byte[][] contents) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] content : contents) {
                digest.update(content);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

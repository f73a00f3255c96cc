// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.load;

import java.util.Locale;

/** The platform as the archive of native libraries names it: operating system and processor. */
final class Platform {
    static final String NAME = os() + "-" + architecture();

    private Platform() {}

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
}

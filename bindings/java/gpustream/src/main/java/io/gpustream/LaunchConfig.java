// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/**
 * Geometry of a kernel launch. All blocks and threads are at least 1. {@link Kernel#launch} checks the device's limits.
 *
 * @param gridX blocks along x
 * @param gridY blocks along y
 * @param gridZ blocks along z
 * @param blockX threads of a block along x
 * @param blockY threads of a block along y
 * @param blockZ threads of a block along z
 * @param sharedMemoryBytes dynamic shared memory per block, bytes
 * @param attributes what the launch has beside that
 */
public record LaunchConfig(
        int gridX,
        int gridY,
        int gridZ,
        int blockX,
        int blockY,
        int blockZ,
        int sharedMemoryBytes,
        LaunchAttributes attributes) {

    /**
     * Checks the parts.
     *
     * @param gridX blocks along x
     * @param gridY blocks along y
     * @param gridZ blocks along z
     * @param blockX threads of a block along x
     * @param blockY threads of a block along y
     * @param blockZ threads of a block along z
     * @param sharedMemoryBytes dynamic shared memory per block, bytes
     * @param attributes what the launch has beside that
     * @throws IllegalArgumentException if blocks or threads are below 1, or the shared memory is negative
     */
    public LaunchConfig {
        Objects.requireNonNull(attributes, "attributes");
        if (gridX < 1 || gridY < 1 || gridZ < 1 || blockX < 1 || blockY < 1 || blockZ < 1 || sharedMemoryBytes < 0) {
            throw new IllegalArgumentException("grid " + gridX + "x" + gridY + "x" + gridZ + ", block " + blockX + "x"
                    + blockY + "x" + blockZ + ", shared memory " + sharedMemoryBytes);
        }
    }

    /**
     * A launch without attributes.
     *
     * @param gridX blocks along x
     * @param gridY blocks along y
     * @param gridZ blocks along z
     * @param blockX threads of a block along x
     * @param blockY threads of a block along y
     * @param blockZ threads of a block along z
     * @param sharedMemoryBytes dynamic shared memory per block, bytes
     */
    public LaunchConfig(int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedMemoryBytes) {
        this(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedMemoryBytes, LaunchAttributes.NONE);
    }

    /**
     * {@return the same launch with other attributes}
     *
     * @param attributes what the launch has beside its geometry
     */
    public LaunchConfig with(LaunchAttributes attributes) {
        return new LaunchConfig(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedMemoryBytes, attributes);
    }

    /**
     * {@return a launch along x only, without shared memory}
     *
     * @param grid blocks
     * @param block threads of a block
     */
    public static LaunchConfig of(int grid, int block) {
        return new LaunchConfig(grid, 1, 1, block, 1, 1, 0);
    }

    long write(Scratch scratch) {
        long address = Layouts.LAUNCH_CONFIG.prepare(scratch);
        scratch.putInt(4, gridX).putInt(8, gridY).putInt(12, gridZ);
        scratch.putInt(16, blockX).putInt(20, blockY).putInt(24, blockZ).putInt(28, sharedMemoryBytes);
        scratch.putInt(32, attributes.flags).putInt(36, attributes.clusterX).putInt(40, attributes.clusterY);
        scratch.putInt(44, attributes.clusterZ).putInt(48, attributes.priority().orElse(0));
        return address;
    }
}

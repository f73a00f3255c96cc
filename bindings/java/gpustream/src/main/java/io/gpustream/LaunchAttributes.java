// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import java.util.OptionalInt;

/**
 * What a launch has beside its geometry: immutable, made from {@link #NONE} by the methods that add one attribute. What each
 * does is in {@code gs_kernel_launch()} of {@code gpustream.h}.
 */
public final class LaunchAttributes {
    /** No attribute. */
    public static final LaunchAttributes NONE = new LaunchAttributes(0, 0, 0, 0, 0);

    final int flags;
    final int clusterX;
    final int clusterY;
    final int clusterZ;
    private final int priority;

    private LaunchAttributes(int flags, int clusterX, int clusterY, int clusterZ, int priority) {
        this.flags = flags;
        this.clusterX = clusterX;
        this.clusterY = clusterY;
        this.clusterZ = clusterZ;
        this.priority = priority;
    }

    private LaunchAttributes with(int flag) {
        return new LaunchAttributes(flags | flag, clusterX, clusterY, clusterZ, priority);
    }

    /** {@return these, and all blocks run at the same time} */
    public LaunchAttributes cooperative() {
        return with(Constants.LAUNCH_COOPERATIVE);
    }

    /** {@return these, and the kernel may start before the kernel ahead of it in the stream has ended} */
    public LaunchAttributes programmatic() {
        return with(Constants.LAUNCH_PROGRAMMATIC);
    }

    /** {@return these, and the kernel belongs to the remote memory synchronisation domain} */
    public LaunchAttributes remoteDomain() {
        return with(Constants.LAUNCH_REMOTE_DOMAIN);
    }

    /**
     * {@return these, with a priority in place of the stream's}
     *
     * @param wanted lower numbers are higher; what is out of range is clamped
     */
    public LaunchAttributes priority(int wanted) {
        int all = flags | Constants.LAUNCH_PRIORITY;
        return new LaunchAttributes(all, clusterX, clusterY, clusterZ, wanted);
    }

    /**
     * {@return these, with clusters of blocks}
     *
     * @param x blocks along x
     * @param y blocks along y
     * @param z blocks along z
     */
    public LaunchAttributes cluster(int x, int y, int z) {
        return new LaunchAttributes(flags, x, y, z, priority);
    }

    /** {@return the priority, if there is one} */
    public OptionalInt priority() {
        return (flags & Constants.LAUNCH_PRIORITY) != 0 ? OptionalInt.of(priority) : OptionalInt.empty();
    }
}

// SPDX-License-Identifier: Apache-2.0
//! How a kernel is launched.

use gpustream_sys::{self as sys, gs_launch_config_t};

/// Geometry of a launch. Numbers of blocks and threads are at least 1 along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks of the grid along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, bytes.
    pub shared_memory_bytes: u32,
    /// What the launch has beside its geometry.
    pub attributes: LaunchAttributes,
}

/// Attributes of a launch, as `gs_launch_config_t` in `gpustream.h` has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchAttributes {
    /// Blocks of a cluster along x, y, z; no clusters if all are 0.
    pub cluster: [u32; 3],
    /// All blocks run at the same time.
    pub cooperative: bool,
    /// The kernel may start before the kernel ahead of it in the stream has ended.
    pub programmatic: bool,
    /// The kernel belongs to the remote memory synchronisation domain.
    pub remote_domain: bool,
    /// In place of the stream's.
    pub priority: Option<i32>,
}

impl LaunchAttributes {
    pub(crate) fn flags(&self) -> u32 {
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        flag(self.cooperative, sys::GS_LAUNCH_COOPERATIVE)
            | flag(self.programmatic, sys::GS_LAUNCH_PROGRAMMATIC)
            | flag(self.remote_domain, sys::GS_LAUNCH_REMOTE_DOMAIN)
            | flag(self.priority.is_some(), sys::GS_LAUNCH_PRIORITY)
    }
}

impl LaunchConfig {
    /// `blocks` blocks of `threads` threads each, along x. No dynamic shared memory.
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        let attributes = LaunchAttributes {
            cluster: [0; 3],
            cooperative: false,
            programmatic: false,
            remote_domain: false,
            priority: None,
        };
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_memory_bytes: 0, attributes }
    }

    pub(crate) fn raw(&self) -> gs_launch_config_t {
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (self.grid, self.block);
        let [cluster_x, cluster_y, cluster_z] = self.attributes.cluster;
        gs_launch_config_t {
            grid_x,
            grid_y,
            grid_z,
            block_x,
            block_y,
            block_z,
            shared_memory_bytes: self.shared_memory_bytes,
            flags: self.attributes.flags(),
            cluster_x,
            cluster_y,
            cluster_z,
            priority: self.attributes.priority.unwrap_or(0),
            ..Default::default()
        }
    }
}

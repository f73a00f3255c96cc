// SPDX-License-Identifier: Apache-2.0
//! Devices by number, their properties, and the calling thread's current device.

mod calls;
mod guard;
mod info;
mod number;
mod telemetry;

pub use guard::DeviceGuard;
pub use info::{DeviceInfo, PciAddress, PriorityRange};
pub use number::Device;
pub use telemetry::MemoryUse;

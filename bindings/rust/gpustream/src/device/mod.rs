// SPDX-License-Identifier: Apache-2.0
//! Devices by number, their properties, and the calling thread's current device.

mod count;
mod current;
mod guard;
mod info;
mod number;
mod telemetry;
mod work;

pub use guard::DeviceGuard;
pub use info::{DeviceInfo, PciAddress, PriorityRange};
pub use number::Device;
pub use telemetry::MemoryUse;

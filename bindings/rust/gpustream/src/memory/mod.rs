// SPDX-License-Identifier: Apache-2.0
//! Memory with an owner. A copy owns its buffers until it is done, so none of this needs `unsafe`.

mod copy;
mod device;
mod future;
mod host;
mod pending;
mod plain;
mod range;
mod slice;
mod users;

pub use device::DeviceBuffer;
pub use future::PendingFuture;
pub use host::HostBuffer;
pub use pending::{Pending, WaitError};
pub use plain::Plain;
pub use slice::{DeviceSlice, DeviceSliceMut};

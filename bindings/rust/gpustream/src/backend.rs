// SPDX-License-Identifier: Apache-2.0
//! Kinds of devices.

use gpustream_sys as sys;

use crate::numbers::closed;

sys::for_each_enumerator! {
    backend, closed,
    /// A kind of device.
    #[non_exhaustive]
    Backend
}

// SPDX-License-Identifier: Apache-2.0
//! Capabilities of events.

use gpustream_sys as sys;

use crate::numbers::flags;

sys::for_each_event_flag! {
    flags,
    /// What an event can do.
    EventFlags
}

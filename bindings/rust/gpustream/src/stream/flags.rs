// SPDX-License-Identifier: Apache-2.0
//! Kinds of streams.

use gpustream_sys as sys;

use crate::numbers::flags;

sys::for_each_stream_flag! {
    flags,
    /// What kind of stream it is.
    StreamFlags
}

// SPDX-License-Identifier: Apache-2.0
//! The capture that a stream takes part in.

use gpustream_sys::{self as sys, gs_capture_info_t};

use crate::numbers::{closed, open};
use crate::text::array_text;

sys::for_each_enumerator! {
    capture_mode, closed,
    /// Whose unsafe driver calls are refused while a capture lasts, as in CUDA. Calls of gpustream break no capture of
    /// its own in any mode.
    CaptureMode
}

sys::for_each_enumerator! {
    capture_state, open,
    /// Whether a stream is being captured.
    CaptureState
}

/// The capture that a stream takes part in; from [`StreamRef::capture_info`](crate::StreamRef::capture_info).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptureInfo {
    /// Whether the stream is being captured. Otherwise all other fields are 0 or `None`.
    pub state: CaptureState,
    /// Number of the capture, which no other one of the process has; 0 if it is broken and began outside gpustream.
    pub id: u64,
    /// `None` if the capture began outside gpustream.
    pub mode: Option<CaptureMode>,
    /// The operating system's number of the thread that began the capture; 0 if it began outside gpustream.
    pub thread: u64,
    /// The call of gpustream that broke the capture, if one did.
    pub broken: Option<CaptureBreak>,
}

/// The call that broke a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptureBreak {
    /// The C function.
    pub function: String,
    /// The driver's code.
    pub native: i32,
    /// The operating system's number of the thread that called it.
    pub thread: u64,
    /// The id of the stream, as [`StreamRef::id`](crate::StreamRef::id) returned it; `None` if the call had none, or the
    /// stream has ended.
    pub stream: Option<i64>,
}

impl CaptureInfo {
    pub(super) fn from_raw(raw: &gs_capture_info_t, broken_stream: Option<i64>) -> Self {
        let captured = raw.state != sys::GS_CAPTURE_STATE_NONE;
        Self {
            state: CaptureState::from_number(raw.state),
            id: raw.id,
            mode: CaptureMode::from_number(raw.mode).filter(|_| captured),
            thread: raw.thread,
            broken: (raw.broken_code != 0).then(|| CaptureBreak {
                function: array_text(&raw.broken_function),
                native: raw.broken_code,
                thread: raw.broken_thread,
                stream: broken_stream,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_capture_has_no_mode() {
        let info = CaptureInfo::from_raw(&gs_capture_info_t::default(), None);
        assert_eq!((info.state, info.mode, info.broken), (CaptureState::None, None, None));
    }

    #[test]
    fn break_is_told_with_its_call() {
        let mut raw =
            gs_capture_info_t { state: 2, mode: -1, broken_code: 901, broken_thread: 7, ..Default::default() };
        raw.broken_function[0] = b'f' as _;
        let info = CaptureInfo::from_raw(&raw, Some(5));
        assert_eq!((info.state, info.mode), (CaptureState::Invalidated, None));
        let broken = info.broken.unwrap();
        assert_eq!((&*broken.function, broken.native, broken.thread, broken.stream), ("f", 901, 7, Some(5)));
    }
}

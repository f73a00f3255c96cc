// SPDX-License-Identifier: Apache-2.0
//! What a stream waits for.

use crate::call::{api, check};
use crate::error::Result;
use crate::stream::StreamRef;

impl StreamRef {
    /// Why the stream is not done: what it waits for, and where that leads, as text for people. It is what `gs_dump()`
    /// writes about this stream: a line with the way down to what nothing else holds up, and its last operations if
    /// `GPUSTREAM_LOG` keeps them. No driver is asked. Does not block.
    pub fn explain(&self) -> Result<String> {
        let mut text = vec![0u8; 1024];
        loop {
            let mut bytes = 0;
            // SAFETY: the outputs are local variables, and the text has as much room as is stated.
            check(unsafe {
                api()?.gs_explain_wait(self.as_handle(), text.as_mut_ptr().cast(), text.len(), &raw mut bytes)
            })?;
            if bytes <= text.len() {
                text.truncate(bytes - 1); // without the NUL
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            text.resize(bytes, 0);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Tokens: points of streams that any process on the machine can wait for.

use std::fmt::{self, Debug, Formatter};

use gpustream_sys::{self as sys, gs_token_t};

use crate::call::{api, check, fill, get};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::stream::StreamRef;

/// The present end of a stream as 128 bytes, for this process and for others on the machine.
///
/// The point is reached when the work submitted to the stream so far is done. A token is plain data: send its bytes by
/// any means, or, with the feature `serde`, as a part of a message.
///
/// It is leased: it names the point until one process has waited for it and the point is reached, or until
/// `GPUSTREAM_TOKEN_LEASE_MS` milliseconds are over and the point is reached. After that, calls may return
/// [`INVALID_HANDLE`](Status::INVALID_HANDLE), and none ever means another point. So make a token for each process that
/// is to wait.
///
/// ```
/// use gpustream::{Stream, Token};
///
/// let (producer, consumer) = (Stream::new()?, Stream::new()?);
/// let bytes = *Token::new(&producer)?.as_bytes(); // to another process, as a rule
/// Token::from_bytes(bytes).wait(&consumer)?;
/// consumer.synchronize()?;
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    bytes: [u8; 128],
}

impl Token {
    /// A token for the present end of a stream. Does not block, but for the first use of a device.
    pub fn new(stream: &StreamRef) -> Result<Self> {
        let token: gs_token_t = fill!(gs_token_create(stream.as_handle()))?;
        Ok(Self { bytes: token.data })
    }

    /// A token that came from another process as bytes. They are looked at when it is used.
    pub const fn from_bytes(bytes: [u8; 128]) -> Self {
        Self { bytes }
    }

    /// The bytes to send.
    pub const fn as_bytes(&self) -> &[u8; 128] {
        &self.bytes
    }

    /// Makes work submitted to a stream from now on wait for the point. The caller does not block.
    pub fn wait(&self, stream: &StreamRef) -> Result<()> {
        let raw = self.raw();
        // SAFETY: the input is a local variable.
        check(unsafe { api()?.gs_token_wait(stream.as_handle(), &raw const raw) })
    }

    /// Whether the point is reached. A process that sees `false` takes part in the lease until it waits, or sees `true`.
    /// Does not block.
    pub fn query(&self) -> Result<bool> {
        let raw = self.raw();
        // SAFETY: the input and the output are local variables.
        let seen = get(|api, out| unsafe { api.gs_token_status(&raw const raw, out) }).map(Status)?;
        match seen {
            Status::OK => Ok(true),
            Status::NOT_READY => Ok(false),
            lost => Err(Error::bare(lost, "gs_token_status")),
        }
    }

    fn raw(&self) -> sys::gs_token_t {
        gs_token_t { data: self.bytes }
    }
}

impl Debug for Token {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("Token(")?;
        self.bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        out.write_str(")")
    }
}

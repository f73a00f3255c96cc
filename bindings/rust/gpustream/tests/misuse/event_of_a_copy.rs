// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `event`
use gpustream::{DeviceBuffer, HostBuffer, Stream};

fn main() -> gpustream::Result<()> {
    let (stream, idle) = (Stream::new()?, Stream::new()?);
    let pending = DeviceBuffer::new(&stream, 8)?.read(HostBuffer::new(8)?)?;
    // Recorded again, it would be done before the copy, and the buffers would be returned too early.
    pending.event().record(&idle)?;
    Ok(())
}

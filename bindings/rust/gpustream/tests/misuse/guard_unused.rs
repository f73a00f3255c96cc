// SPDX-License-Identifier: Apache-2.0
// error: unused `StreamGuard` that must be used
#![deny(unused_must_use)]

fn main() -> gpustream::Result<()> {
    let stream = gpustream::Stream::new()?;
    gpustream::StreamGuard::new(&stream)?;
    Ok(())
}

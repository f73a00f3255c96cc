// SPDX-License-Identifier: Apache-2.0
// error: E0133 unsafe
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    gpustream::Stream::unpack(borrowed.pack()?).map(drop)
}

fn main() {
    let _ = keep;
}

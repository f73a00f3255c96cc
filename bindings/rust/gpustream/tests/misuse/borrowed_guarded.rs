// SPDX-License-Identifier: Apache-2.0
// error: E0308 mismatched types
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    gpustream::StreamGuard::new(borrowed).map(drop)
}

fn main() {
    let _ = keep;
}

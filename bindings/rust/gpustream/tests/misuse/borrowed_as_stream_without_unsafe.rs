// SPDX-License-Identifier: Apache-2.0
// error: E0133 unsafe
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    borrowed.as_stream().set_current()
}

fn main() {
    let _ = keep;
}

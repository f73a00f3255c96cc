// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `set_current`
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    borrowed.set_current()
}

fn main() {
    let _ = keep;
}

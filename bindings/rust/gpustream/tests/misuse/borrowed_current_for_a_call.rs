// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `with`
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    borrowed.with(|| ())
}

fn main() {
    let _ = keep;
}

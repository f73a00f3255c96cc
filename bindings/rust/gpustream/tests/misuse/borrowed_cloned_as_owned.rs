// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `clone`
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Stream {
    (**borrowed).clone()
}

fn main() {
    let _ = keep;
}

// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `exchange_current`
fn keep(borrowed: &gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    borrowed.exchange_current().map(drop)
}

fn main() {
    let _ = keep;
}

// SPDX-License-Identifier: Apache-2.0
// error: E0200 requires an `unsafe impl` declaration
#[derive(Clone, Copy)]
struct Mine(u32);
impl gpustream::Plain for Mine {}
fn main() {}

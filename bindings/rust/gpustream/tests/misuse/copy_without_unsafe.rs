// SPDX-License-Identifier: Apache-2.0
// error: E0133 call to unsafe function
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let mut byte = 0_u8;
    stream.memcpy((&raw mut byte).cast(), (&raw const byte).cast(), 1).unwrap();
}

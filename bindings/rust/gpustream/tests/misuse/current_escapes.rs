// SPDX-License-Identifier: Apache-2.0
// error: lifetime may not live long enough
fn main() {
    let escaped = gpustream::Stream::with_current(gpustream::Device::CURRENT, |stream| stream).unwrap();
    escaped.query().unwrap();
}

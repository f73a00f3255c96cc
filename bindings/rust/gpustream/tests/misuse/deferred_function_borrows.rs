// SPDX-License-Identifier: Apache-2.0
// error: E0597 does not live long enough
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let buffer = gpustream::HostBuffer::new(8).unwrap();
    let borrowed = &buffer;
    stream.defer(move || println!("{borrowed:?}")).unwrap();
}

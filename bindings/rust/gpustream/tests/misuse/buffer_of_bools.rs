// SPDX-License-Identifier: Apache-2.0
// error: E0277 the trait bound `bool: Plain` is not satisfied
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let _buffer = gpustream::DeviceBuffer::<bool>::zeroed(&stream, 8).unwrap();
}

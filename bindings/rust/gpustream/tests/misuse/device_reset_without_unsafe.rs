// SPDX-License-Identifier: Apache-2.0
// error: E0133 call to unsafe function
fn main() {
    // Its context may have pinned memory that safe code still reads.
    let _ = gpustream::Device::CURRENT.reset();
}

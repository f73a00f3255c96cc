// SPDX-License-Identifier: Apache-2.0
// error: E0133 call to unsafe function
fn main() {
    gpustream::Stream::new().unwrap().launch_host(|| ()).unwrap();
}

// SPDX-License-Identifier: Apache-2.0
// error: E0373 may outlive the current function
fn main() {
    let mut count = 0;
    gpustream::Stream::new().unwrap().notify(|_| count += 1).unwrap();
    println!("{count}");
}

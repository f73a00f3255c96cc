// SPDX-License-Identifier: Apache-2.0
// error: E0505 cannot move out of `queue` because it is borrowed
fn main() {
    let queue = gpustream::CompletionQueue::new(8).unwrap();
    let fd = queue.fd().unwrap();
    drop(queue);
    println!("{fd:?}");
}

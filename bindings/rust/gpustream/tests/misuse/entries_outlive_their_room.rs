// SPDX-License-Identifier: Apache-2.0
// error: E0499 cannot borrow `room` as mutable more than once
fn main() {
    let queue = gpustream::CompletionQueue::new(8).unwrap();
    let mut room = [gpustream::Completion::EMPTY; 4];
    let entries = queue.poll(&mut room).unwrap();
    queue.poll(&mut room).unwrap();
    println!("{entries:?}");
}

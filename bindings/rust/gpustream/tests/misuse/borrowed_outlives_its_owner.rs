// SPDX-License-Identifier: Apache-2.0
// error: E0597 does not live long enough
use gpustream::{BorrowedStream, Device};

struct Foreign(*mut std::ffi::c_void);

fn borrow(foreign: &Foreign) -> BorrowedStream<'_> {
    unsafe { BorrowedStream::from_raw(Device::CURRENT, foreign.0) }.unwrap()
}

fn main() {
    let borrowed;
    {
        let foreign = Foreign(std::ptr::null_mut());
        borrowed = borrow(&foreign);
    }
    borrowed.query().unwrap();
}

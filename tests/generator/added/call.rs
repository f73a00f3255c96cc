// SPDX-License-Identifier: Apache-2.0
//! Calls the made-up functions through the declarations of gpustream-sys.
use gpustream_sys as sys;
use std::ffi::c_void;
use std::ptr::null_mut;

unsafe extern "C" fn seen(arg: *mut c_void, value: i64) -> sys::gs_status_t {
    // SAFETY: arg is the sum below.
    unsafe { *arg.cast::<i64>() += value };
    sys::GS_OK
}

#[test]
fn made_up_functions() {
    let api = sys::api().unwrap();
    let weight = sys::gs_made_weight_t { mode: sys::GS_MADE_DOUBLED, factor: 0.5, ..Default::default() };
    let (mut total, mut event) = (sys::gs_made_total_t::default(), null_mut());
    let (mut sum, mut flags) = (0i64, 0u32);
    // SAFETY: all pointers are to local variables.
    unsafe {
        let arg = (&raw mut sum).cast();
        let values = [3, 4, 5];
        let status = api.gs_made_sum(&weight, values.as_ptr(), 3, Some(seen), arg, &mut total, &mut event).unwrap();
        assert_eq!((status, sum, total.count, total.sum, total.first[2]), (sys::GS_OK, 12, 3, 12.0, 5));
        assert_eq!(api.gs_made_doubled_flags(event, &mut flags).unwrap(), sys::GS_OK);
        assert_eq!(flags, 2 * sys::GS_EVENT_TIMING);
        let (mut squares, mut count) = ([0i64; 3], 0usize);
        assert_eq!(api.gs_made_squares(20, squares.as_mut_ptr(), 3, &mut count).unwrap(), sys::GS_OK);
        assert_eq!((squares, count), ([0, 1, 4], 5));
        assert_eq!(api.gs_event_destroy(event).unwrap(), sys::GS_OK);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! What the elements of buffers may be.

use crate::error::{Error, Result};
use crate::status::Status;

/// Types whose values are their bytes, so that a device may write them: integers, floating-point numbers and arrays of
/// them.
///
/// `bool`, `char`, references and most enums are left out: a device can write bytes that are none of their values.
///
/// ```
/// #[repr(C)]
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
/// // SAFETY: four floats without a gap.
/// unsafe impl gpustream::Plain for Particle {}
///
/// let stream = gpustream::Stream::new()?;
/// let particle = Particle { position: [1.0, 2.0, 3.0], mass: 4.0 };
/// let buffer = gpustream::DeviceBuffer::from_slice(&stream, &[particle; 10])?;
/// assert_eq!(buffer.to_vec()?, [particle; 10]);
/// # Ok::<(), gpustream::Error>(())
/// ```
///
/// # Safety
///
/// Every pattern of bytes, all zeros included, is a value of the type. The type has neither padding bytes nor
/// interior mutability, and its alignment is at most 64.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($name:ty)*) => {$(
        // SAFETY: a number without padding, whose values are all patterns of its bytes.
        unsafe impl Plain for $name {}
    )*};
}
plain!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

// SAFETY: elements without gaps between them.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Size of so many elements. What no memory can hold is refused here, before the C library is called.
pub(super) fn bytes_of<T: Plain>(len: usize, function: &str) -> Result<usize> {
    const { assert!(align_of::<T>() <= 64, "pinned memory is aligned to 64 bytes") };
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(bytes),
        _ => {
            let text = format!("{len} elements of {} bytes are no size of memory", size_of::<T>());
            Err(Error::new(Status::INVALID_ARGUMENT, function, &text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(bytes_of::<[f32; 3]>(5, "test").unwrap(), 60);
        let refused = |result: Result<usize>| assert_eq!(result.unwrap_err().status(), Status::INVALID_ARGUMENT);
        assert_eq!(bytes_of::<u8>(0, "test").unwrap(), 0);
        assert_eq!(bytes_of::<[u8; 0]>(3, "test").unwrap(), 0);
        refused(bytes_of::<u8>(usize::MAX / 2 + 1, "test"));
        refused(bytes_of::<u64>(usize::MAX / 8 + 1, "test"));
        assert_eq!(bytes_of::<u8>(usize::MAX / 2, "test").unwrap(), usize::MAX / 2);
    }
}

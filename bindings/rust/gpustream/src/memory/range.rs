// SPDX-License-Identifier: Apache-2.0
//! Ranges of elements.

use std::ops::{Bound, RangeBounds};

use crate::error::{Error, Result};
use crate::status::Status;

/// The first element of a range and its length.
pub(super) fn inside(range: &impl RangeBounds<usize>, len: usize) -> Result<(usize, usize)> {
    let first = match range.start_bound() {
        Bound::Included(&first) => Some(first),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (first, end) {
        (Some(first), Some(end)) if first <= end && end <= len => Ok((first, end - first)),
        _ => {
            let text = format!("the range is not inside the {len} elements");
            Err(Error::new(Status::INVALID_ARGUMENT, "DeviceSlice", &text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(inside(&(..), 4).unwrap(), (0, 4));
        assert_eq!(inside(&(1..=3), 4).unwrap(), (1, 3));
        assert_eq!(inside(&(4..4), 4).unwrap(), (4, 0));
        assert_eq!(inside(&(Bound::Excluded(1), Bound::Unbounded), 4).unwrap(), (2, 2));
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = 3..2;
        assert!(inside(&reversed, 4).is_err());
        assert!(inside(&(2..5), 4).is_err());
        assert!(inside(&(5..), 4).is_err());
        assert!(inside(&(..=usize::MAX), 4).is_err());
        assert!(inside(&(Bound::Excluded(usize::MAX), Bound::Unbounded), 4).is_err());
    }
}

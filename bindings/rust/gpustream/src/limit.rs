// SPDX-License-Identifier: Apache-2.0
//! Time limits.

use std::time::Duration;

/// A limit as the library takes it; the longest one is 292 years.
pub(crate) fn limit_ns(limit: Duration) -> i64 {
    i64::try_from(limit.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_nanoseconds_and_never_negative() {
        assert_eq!(limit_ns(Duration::ZERO), 0);
        assert_eq!(limit_ns(Duration::from_micros(3)), 3000);
        assert_eq!(limit_ns(Duration::MAX), i64::MAX);
    }
}

// SPDX-License-Identifier: Apache-2.0
//! A fixed number of streams, by index and in turn.

mod support;

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};

use gpustream::{Device, Status, Stream};
use support::status;

#[test]
fn pools_by_index_and_in_turn() {
    let size = NonZeroUsize::new(3).unwrap();
    let pool = Stream::builder().device(Device::new(1)).priority(-1).build_pool(size).unwrap();
    assert_eq!((pool.len(), pool.iter().count(), (&pool).into_iter().count()), (3, 3, 3));
    assert_eq!(pool.iter().map(|stream| stream.as_handle()).collect::<HashSet<_>>().len(), 3);
    assert_eq!(pool[0].as_handle(), pool[3].as_handle());
    assert_eq!(pool[usize::MAX].as_handle(), pool[usize::MAX % 3].as_handle());
    let turns: Vec<_> = (0..7).map(|_| pool.next_stream().as_handle()).collect();
    assert_eq!(turns, (0..7).map(|index| pool[index].as_handle()).collect::<Vec<_>>());
    for stream in &pool {
        assert_eq!((stream.device(), stream.priority()), (Ok(Device::new(1)), Ok(-1)));
        stream.sleep(1000).unwrap();
        stream.synchronize().unwrap();
    }
    assert_eq!(status(Stream::builder().device(Device::new(7)).build_pool(size)), Status::INVALID_DEVICE);
}

#[test]
fn threads_share_a_pool_evenly() {
    let pool = Stream::builder().build_pool(NonZeroUsize::new(4).unwrap()).unwrap();
    let seen: Vec<_> = pool.iter().map(|_| AtomicU32::new(0)).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let stream = pool.next_stream().as_handle();
                    let at = pool.iter().position(|one| one.as_handle() == stream).unwrap();
                    seen[at].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 100));
}

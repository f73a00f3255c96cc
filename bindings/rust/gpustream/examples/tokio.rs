// SPDX-License-Identifier: Apache-2.0
//! Work of many streams in tokio, in two ways: a future for each piece of work, and one queue in tokio's event loop.
//!
//! `cargo run --example tokio -p gpustream -- [STREAMS [ROUNDS]]`

use std::error::Error;
use std::time::{Duration, Instant};

use gpustream::{Completion, CompletionQueue, QueueFd, Stream};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// About how long a piece of work takes, in cycles of the device (nanoseconds on host).
const WORK: u64 = 100_000;
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u32| arguments.next().map_or(Ok(default), |text| text.parse());
    let (count, rounds) = (number(8)?, number(100)?);
    let streams = (0..count).map(|_| Stream::new()).collect::<gpustream::Result<Vec<_>>>()?;

    let start = Instant::now();
    tokio::time::timeout(LIMIT, with_futures(&streams, rounds)).await??;
    report("futures", count * rounds, start);

    let queue = CompletionQueue::new(count)?.into_fd()?;
    // SAFETY: the queue keeps its descriptor open, and it is always the same.
    let queue = unsafe { AsyncFd::register_with_interest(queue, Interest::READABLE) }?;
    let start = Instant::now();
    tokio::time::timeout(LIMIT, with_a_queue(&streams, rounds, &queue)).await??;
    report("one queue", count * rounds, start);
    Ok(())
}

/// Each stream has a task, which submits the next piece of work when the last one is done.
async fn with_futures(streams: &[Stream], rounds: u32) -> Result<(), Box<dyn Error>> {
    let mut tasks = tokio::task::JoinSet::new();
    for stream in streams {
        let stream = stream.clone();
        tasks.spawn(async move {
            for _ in 0..rounds {
                stream.sleep(WORK)?;
                stream.finished()?.await?;
            }
            Ok::<_, gpustream::Error>(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// One task serves all streams: an entry's token says which one has nothing to do.
async fn with_a_queue(streams: &[Stream], rounds: u32, queue: &AsyncFd<QueueFd>) -> Result<(), Box<dyn Error>> {
    let submit = |index: usize| -> gpustream::Result<()> {
        streams[index].sleep(WORK)?;
        queue.get_ref().add_stream(&streams[index], index as u64)
    };
    let mut left = vec![rounds; streams.len()];
    let (mut room, mut busy) = ([Completion::EMPTY; 64], 0);
    for (index, left) in left.iter_mut().enumerate().filter(|(_, left)| **left > 0) {
        submit(index)?;
        *left -= 1;
        busy += 1;
    }
    while busy > 0 {
        let mut ready = queue.readable().await?;
        // tokio reports that the descriptor became readable, not that it still is: take all.
        while let taken @ [_, ..] = queue.get_ref().poll(&mut room)? {
            for entry in taken {
                entry.result()?;
                let index = usize::try_from(entry.token())?;
                if left[index] > 0 {
                    left[index] -= 1;
                    submit(index)?;
                } else {
                    busy -= 1;
                }
            }
        }
        ready.clear_ready();
    }
    Ok(())
}

fn report(way: &str, pieces: u32, start: Instant) {
    let each = start.elapsed() / pieces.max(1);
    println!("{way}: {pieces} pieces of work, {each:?} for each");
}

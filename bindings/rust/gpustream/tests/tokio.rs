// SPDX-License-Identifier: Apache-2.0
//! Futures and queues in tokio.

mod support;

use std::time::Duration;

use gpustream::{Completion, CompletionQueue, Event, Stream};
use support::Held;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

const SHORT: Duration = Duration::from_millis(1);

#[tokio::test]
async fn timeouts_and_what_comes_after() {
    let held = Held::new();
    let event = Event::new().unwrap();
    event.record(&held.stream).unwrap();
    assert!(timeout(SHORT, held.stream.finished().unwrap()).await.is_err());
    assert!(timeout(SHORT, &event).await.is_err());
    let mut finished = held.stream.finished().unwrap();
    assert!(timeout(SHORT, &mut finished).await.is_err());
    held.gate.open();
    assert_eq!(timeout(support::PATIENCE, finished).await.unwrap(), Ok(()));
    (&event).await.unwrap();
}

#[tokio::test]
async fn the_first_of_several() {
    let (held, free) = (Held::new(), Stream::new().unwrap());
    tokio::select! {
        _ = held.stream.finished().unwrap() => panic!("it is held"),
        result = free.finished().unwrap() => assert_eq!(result, Ok(())),
    }
    held.gate.open();
    held.stream.finished().unwrap().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn aborted_tasks_leave_the_others() {
    let held = Held::new();
    let tasks: Vec<_> = (0..1000)
        .map(|_| {
            let finished = held.stream.finished().unwrap();
            tokio::spawn(finished)
        })
        .collect();
    for (index, task) in tasks.iter().enumerate() {
        if index % 3 == 0 {
            task.abort();
        }
    }
    held.gate.open();
    for (index, task) in tasks.into_iter().enumerate() {
        let ended = task.await;
        assert!(ended.as_ref().is_ok_and(Result::is_ok) || index % 3 == 0, "{index}: {ended:?}");
    }
}

#[tokio::test]
async fn queue_in_the_event_loop() {
    let (held, queue) = (Held::new(), CompletionQueue::new(200).unwrap());
    for token in 0..100 {
        queue.add_stream(&held.stream, token).unwrap();
    }
    // SAFETY: the queue keeps its descriptor open, and it is always the same.
    let queue = unsafe { AsyncFd::register_with_interest(queue.into_fd().unwrap(), Interest::READABLE) }.unwrap();
    assert!(timeout(SHORT, queue.readable()).await.is_err());
    held.gate.open();
    let (mut room, mut tokens) = ([Completion::EMPTY; 7], Vec::new());
    while tokens.len() < 100 {
        let mut ready = timeout(support::PATIENCE, queue.readable()).await.unwrap().unwrap();
        while let taken @ [_, ..] = queue.get_ref().poll(&mut room).unwrap() {
            tokens.extend(taken.iter().map(Completion::token));
        }
        ready.clear_ready();
    }
    assert!(tokens.into_iter().eq(0..100));
}

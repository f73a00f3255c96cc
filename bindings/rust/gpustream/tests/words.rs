// SPDX-License-Identifier: Apache-2.0
//! Words of memory that streams write and wait for.

mod support;

use gpustream::{HostBuffer, Status, Stream, Word, WordCondition};
use support::status;

fn memory() -> (HostBuffer, *mut u64) {
    let mut buffer = HostBuffer::new(32).unwrap();
    let start = buffer.as_mut_ptr().cast();
    (buffer, start)
}

/// A stream waits until another one has written the last of the values, and not before. The numbers are: what is waited
/// for, a word that does not meet the condition, and one that does.
fn meets<W: Word>(word: *mut W, condition: WordCondition, [value, unmet, met]: [W; 3]) {
    let (writes, waits) = (Stream::new().unwrap(), Stream::new().unwrap());
    // SAFETY: the word lives until both streams are synchronized, and no thread uses it.
    unsafe {
        writes.write_value(word, unmet).unwrap();
        writes.synchronize().unwrap();
        waits.wait_value(word, condition, value).unwrap();
        assert_eq!(waits.query(), Ok(false), "{condition:?}");
        writes.write_value(word, met).unwrap();
    }
    waits.synchronize().unwrap();
    writes.synchronize().unwrap();
}

#[test]
fn conditions() {
    let (_memory, word) = memory();
    meets::<u64>(word, WordCondition::GreaterEqual, [7, 6, 8]);
    meets::<u64>(word, WordCondition::Nor, [1, u64::MAX, u64::MAX - 2]);
    let narrow = word.cast::<u32>().wrapping_add(1);
    meets::<u32>(narrow, WordCondition::Equal, [7, 8, 7]);
    meets::<u32>(narrow, WordCondition::And, [6, 1, 4]);
}

#[test]
fn widths() {
    let (memory, word) = memory();
    let stream = Stream::new().unwrap();
    // SAFETY: the words are inside, and live until the stream is synchronized.
    unsafe {
        stream.write_value(word.add(1), 0x1122_3344_5566_7788).unwrap();
        stream.write_value_without_barrier(word.cast::<u32>().add(1), u32::MAX).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(memory[..4], [0; 4]);
    assert_eq!(memory[4..8], [0xff; 4]);
    assert_eq!(memory[8..16], 0x1122_3344_5566_7788_u64.to_ne_bytes());
}

/// Devices without it say so.
#[test]
fn flushing() {
    let (_memory, word) = memory();
    let stream = Stream::new().unwrap();
    // SAFETY: the word lives until the stream is synchronized.
    let waited = unsafe {
        stream.write_value(word, 1).unwrap();
        stream.wait_value_and_flush(word, WordCondition::Equal, 1)
    };
    assert!([Status::OK, Status::NOT_SUPPORTED].contains(&status(waited)));
    stream.synchronize().unwrap();
}

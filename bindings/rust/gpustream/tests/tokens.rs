// SPDX-License-Identifier: Apache-2.0
//! Tokens: waits and queries, stale ones, wrong bytes, other processes, and messages of serde.

mod support;

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use gpustream::{CURRENT, CaptureMode, Status, Stream, StreamGuard, Token};
use support::{Held, status};

#[test]
fn stream_waits_for_the_point() {
    let (held, waits) = (Held::new(), Stream::new().unwrap());
    let token = Token::new(&held.stream).unwrap();
    assert_eq!(token.query(), Ok(false));
    token.wait(&waits).unwrap();
    assert_eq!(waits.query(), Ok(false));
    held.gate.open();
    waits.synchronize().unwrap();
    assert_eq!(token.query(), Ok(true));
}

#[test]
fn current_stream() {
    let (held, waits) = (Held::new(), Stream::new().unwrap());
    let token = {
        let _guard = StreamGuard::new(&held.stream).unwrap();
        Token::new(CURRENT).unwrap()
    };
    let _guard = StreamGuard::new(&waits).unwrap();
    token.wait(CURRENT).unwrap();
    assert_eq!(waits.query(), Ok(false));
    held.gate.open();
    waits.synchronize().unwrap();
}

#[test]
fn bytes_are_the_token() {
    let token = Token::new(CURRENT).unwrap();
    let copy = Token::from_bytes(*token.as_bytes());
    assert_eq!((copy, format!("{copy:?}")), (token, format!("{token:?}")));
    assert_ne!(token, Token::new(CURRENT).unwrap());
    let mut wrong = *token.as_bytes();
    wrong[70] ^= 1;
    for bytes in [wrong, [0; 128]] {
        let wrong = Token::from_bytes(bytes);
        assert_eq!(status(wrong.query()), Status::INVALID_ARGUMENT);
        assert_eq!(status(wrong.wait(CURRENT)), Status::INVALID_ARGUMENT);
    }
}

#[test]
fn lease_ends_with_a_wait() {
    let stream = Stream::new().unwrap();
    let old = Token::new(&stream).unwrap();
    old.wait(&stream).unwrap();
    stream.synchronize().unwrap();
    let mut newer = Vec::new(); // one of them has the event now
    while old.query() == Ok(true) {
        newer.push(Token::new(&stream).unwrap());
    }
    assert_eq!(status(old.query()), Status::INVALID_HANDLE);
    assert_eq!(status(old.wait(&stream)), Status::INVALID_HANDLE);
}

#[test]
fn capture_refuses_tokens() {
    let (stream, token) = (Stream::new().unwrap(), Token::new(CURRENT).unwrap());
    let capture = stream.capture(CaptureMode::ThreadLocal).unwrap();
    assert_eq!(status(Token::new(&stream)), Status::CAPTURING);
    assert_eq!(status(token.wait(&stream)), Status::CAPTURING);
    capture.end().unwrap();
}

const CHILD: &str = "GPUSTREAM_TEST_TOKEN_CHILD";

/// A child makes a token of a stream that is held, and is killed.
#[test]
fn maker_dies() {
    if env::var_os(CHILD).is_some() {
        let held = Held::new();
        println!("token {}", hex(Token::new(&held.stream).unwrap().as_bytes()));
        std::io::stdout().flush().unwrap();
        loop {
            std::thread::park();
        }
    }
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "maker_dies", "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.map(Result::unwrap).find_map(|line| line.split_once("token ").map(|(_, text)| text.to_owned()));
    let token = Token::from_bytes(bytes_of(&line.unwrap()));
    assert_eq!(token.query(), Ok(false));
    child.kill().unwrap();
    child.wait().unwrap();
    let end = loop {
        match token.query() {
            Ok(false) => {}
            other => break other,
        }
    };
    let error = end.unwrap_err();
    assert_eq!((error.status(), error.function()), (Status::PEER_LOST, "gs_token_status"));
    assert_eq!(status(token.wait(CURRENT)), Status::PEER_LOST);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(text: &str) -> [u8; 128] {
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

#[cfg(feature = "serde")]
#[test]
fn messages() {
    let token = Token::new(CURRENT).unwrap();
    let text = serde_json::to_string(&(7, token)).unwrap();
    assert_eq!(serde_json::from_str::<(i32, Token)>(&text).unwrap(), (7, token));
    let numbers = |count: usize| serde_json::to_string(&vec![1_u8; count]).unwrap();
    assert_eq!(serde_json::from_str::<Token>(&numbers(128)).unwrap(), Token::from_bytes([1; 128]));
    for wrong in [numbers(127), numbers(129), numbers(0), "7".into(), "\"text\"".into(), "[256]".into()] {
        let error = serde_json::from_str::<Token>(&wrong).unwrap_err().to_string();
        assert!(error.contains("128 bytes of a token") || error.contains("256"), "{error}");
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Tokens: waits and queries, bytes, and messages of serde.

mod support;

use gpustream::{CURRENT, Status, Stream, Token};
use support::{Held, status};

#[test]
fn stream_waits_for_the_point() {
    let (held, waits) = (Held::new(), Stream::new().unwrap());
    let token = Token::new(&held.stream).unwrap();
    assert_eq!(token.query(), Ok(false));
    token.wait(&waits).unwrap();
    assert_eq!(waits.query(), Ok(false));
    held.gate.open();
    waits.synchronize().unwrap(); // and with that the lease ends, which the other tests' tokens may need
}

#[test]
fn bytes_are_the_token() {
    let token = Token::new(CURRENT).unwrap();
    while !token.query().unwrap() {}
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

// SPDX-License-Identifier: Apache-2.0
//! Initialisation of the library. It happens once per process, so this is a single test.

use std::sync::{Arc, Mutex};

use gpustream::{Error, Event, Status, call_on_init, init, is_initialized};

#[test]
fn queued_functions_run_in_order_and_say_what_failed() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let step = |number: u32, result: gpustream::Result<()>| {
        let order = order.clone();
        move || {
            order.lock().unwrap().push(number);
            result
        }
    };
    assert_eq!(is_initialized(), Ok(false));
    drop(Event::new().unwrap());
    assert_eq!(is_initialized(), Ok(false), "creating an event starts nothing");
    call_on_init(step(1, Ok(()))).unwrap();
    call_on_init(step(2, Err(Error::new(Status::SYSTEM, "test", "refused")))).unwrap();
    call_on_init(|| std::panic::resume_unwind(Box::new("quiet"))).unwrap();
    call_on_init(step(3, Ok(()))).unwrap();
    assert!(order.lock().unwrap().is_empty());

    assert_eq!(init().unwrap_err().status(), Status::SYSTEM);
    assert_eq!((order.lock().unwrap().clone(), is_initialized()), (vec![1, 2], Ok(false)));
    assert_eq!(init().unwrap_err().status(), Status::INTERNAL, "the one that panicked");
    init().unwrap();
    assert_eq!((order.lock().unwrap().clone(), is_initialized()), (vec![1, 2, 3], Ok(true)));

    call_on_init(step(4, Ok(()))).unwrap();
    assert_eq!(order.lock().unwrap().last(), Some(&4), "called at once");
    let error = Error::new(Status(12345), "test", "my own words");
    assert_eq!(call_on_init(step(5, Err(error.clone()))), Err(error), "the function's own error");
    assert_eq!(Arc::strong_count(&order), 1, "every function was dropped");
}

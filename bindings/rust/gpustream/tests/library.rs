// SPDX-License-Identifier: Apache-2.0
//! State of the process: version, counters, settings, log. The tests take turns.

mod support;

use std::sync::{Arc, Mutex};

use gpustream::{
    Backend, Device, Error, Event, ForkStatus, LogLevel, Status, Stream, SyncDebugMode, SyncDebugScope, Version,
};
use support::{Held, alone, status};

#[test]
fn versions() {
    let _alone = alone();
    let version = gpustream::version().unwrap();
    let text = format!("{}.{}.{}", version.major, version.minor, version.patch);
    assert_eq!(gpustream::version_string(), Ok(text.as_str()));
    assert!(version >= Version { major: 0, minor: 1, patch: 0 });
    assert_eq!(gpustream::instance_count(), Ok(1));
    assert_eq!(gpustream::fork_status(), Ok(ForkStatus::Clean));
    let loaded = gpustream::library_path().unwrap();
    if cfg!(not(feature = "link")) {
        assert!(loaded.is_file(), "{}", loaded.display());
    }
    assert_eq!(status(gpustream::load("/nonexistent")), Status::NOT_PERMITTED);
}

#[test]
fn statuses_are_those_of_c() {
    let _alone = alone();
    assert_eq!(Status::INVALID_HANDLE.name(), "GS_ERROR_INVALID_HANDLE");
    assert_eq!(Status::INVALID_HANDLE.to_string(), "GS_ERROR_INVALID_HANDLE");
    assert_eq!(Status::OK.message(), "success");
    assert_ne!(Status(-7).name(), "GS_OK");
    for number in 0..100 {
        // The crate's own table agrees with the library.
        let known = format!("{:?}", Status(number));
        assert!(known == Status(number).name() || known == format!("Status({number})"), "{known}");
    }
    assert!(!gpustream::native_error_text(Backend::Cuda, 700).unwrap().is_empty());
}

#[test]
fn devices() {
    let _alone = alone();
    assert_eq!(Backend::default_backend(), Ok(Some(Backend::Host)));
    assert_eq!((Device::count(), Backend::Host.device_count(), Backend::Hip.device_count()), (Ok(2), Ok(2), Ok(0)));
    assert_eq!(gpustream::is_available(), Ok(true));
    let info = Device::new(1).info().unwrap();
    assert_eq!((info.ordinal, info.backend, info.capability), (1, Some(Backend::Host), (0, 0)));
    assert!(!info.name.is_empty() && info.total_memory_bytes > 0 && info.multiprocessor_count > 0);
    assert_eq!(info.priorities, Device::new(1).priority_range().unwrap());
    assert!(info.priorities.least >= info.priorities.greatest);
    assert_eq!([0, 1].map(|peer| Device::new(0).can_access_peer(Device::new(peer))), [Ok(false), Ok(true)]);
    assert_eq!((Device::CURRENT.check(), Device::CURRENT.synchronize()), (Ok(()), Ok(())));
    Device::on(Backend::Host, 0).set_current().unwrap();
    assert_eq!(Device::current(), Ok(Device::new(0)), "devices of the default backend are plain ordinals");
}

#[test]
fn what_is_known_costs_no_driver_call() {
    let _alone = alone();
    let event = Stream::new().unwrap().record_new_event().unwrap();
    event.synchronize().unwrap();
    assert_eq!(event.query(), Ok(true));
    gpustream::reset_stats().unwrap();
    for _ in 0..10 {
        assert_eq!(event.clone().query(), Ok(true));
    }
    let stats = gpustream::stats().unwrap();
    assert_eq!((stats.driver_calls, stats.queries, stats.elided_queries), (0, 10, 10), "{stats:?}");
    gpustream::trim().unwrap();
}

#[test]
fn sync_debug() {
    let _alone = alone();
    let messages = Arc::new(Mutex::new(Vec::new()));
    let kept = messages.clone();
    gpustream::set_log(Some(move |level, text: &str| kept.lock().unwrap().push((level, text.to_owned())))).unwrap();
    let stream = Stream::new().unwrap();
    gpustream::set_sync_debug_mode(SyncDebugMode::Warn).unwrap();
    assert_eq!(gpustream::sync_debug_mode(), Ok(SyncDebugMode::Warn));
    stream.synchronize().unwrap();
    gpustream::set_sync_debug_mode(SyncDebugMode::Error).unwrap();
    assert_eq!(status(stream.synchronize()), Status::SYNC_FORBIDDEN);
    assert_eq!(gpustream::sync_debug_scope(), Ok(SyncDebugScope::Torch));
    Device::CURRENT.synchronize().unwrap();
    gpustream::set_sync_debug_scope(SyncDebugScope::All).unwrap();
    assert_eq!(status(Device::CURRENT.synchronize()), Status::SYNC_FORBIDDEN);
    gpustream::set_sync_debug_scope(SyncDebugScope::Torch).unwrap();
    gpustream::set_sync_debug_mode(SyncDebugMode::Default).unwrap();
    gpustream::set_log(None::<fn(LogLevel, &str)>).unwrap();
    let messages = messages.lock().unwrap();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0].0, LogLevel::Warning);
    assert!(messages[0].1.contains("synchronizing"), "{messages:?}");
}

#[test]
fn panicking_logger_is_contained() {
    let _alone = alone();
    gpustream::set_log(Some(|_, _: &str| std::panic::resume_unwind(Box::new("quiet")))).unwrap();
    gpustream::set_sync_debug_mode(SyncDebugMode::Warn).unwrap();
    let told = Stream::new().unwrap().synchronize();
    gpustream::set_sync_debug_mode(SyncDebugMode::Default).unwrap();
    gpustream::set_log(None::<fn(LogLevel, &str)>).unwrap();
    assert_eq!(told, Ok(()));
}

#[test]
fn errors_say_what_and_where() {
    let _alone = alone();
    let held = Held::new();
    let (start, end) = (Event::new().unwrap(), Event::timed().unwrap());
    start.record(&held.stream).unwrap();
    let error = start.elapsed_ms(&end).unwrap_err();
    assert_eq!((error.status(), error.function()), (Status::TIMING_DISABLED, "gs_event_elapsed_ms"));
    assert_eq!((error.native(), error.is_sticky(), error.reason()), (0, false, None));
    // Another failure on this thread does not change it.
    let copy = error.clone();
    assert_eq!(status(Device::new(9).check()), Status::INVALID_DEVICE);
    assert_eq!(error, copy);
    let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(boxed.downcast_ref::<Error>().is_some_and(|error| error.status() == Status::TIMING_DISABLED));
}

#[test]
fn inventory_without_nvml() {
    let _alone = alone();
    // The machine may lack NVML; the result is then a status with a reason.
    match gpustream::Inventory::count() {
        Ok(inventory) => assert!(inventory.entries >= inventory.gpus),
        Err(error) => assert_eq!((error.status(), error.reason().is_some()), (Status::UNAVAILABLE, true), "{error}"),
    }
    assert!(gpustream::Inventory::get(u32::MAX).is_err());
    assert_eq!(status(Device::new(0).inventory_index()), Status::NOT_SUPPORTED, "a host device");
}

#[test]
fn visible_devices() {
    let _alone = alone();
    let parse = |text| gpustream::parse_visible_devices(text).unwrap().join(" ");
    assert_eq!(parse(Some("0, 2,junk,3")), "0 2");
    assert_eq!((parse(Some("")), parse(Some("1,1"))), (String::new(), String::new()));
    assert_eq!(parse(Some("GPU-ab,GPU-cd,7")), "GPU-ab GPU-cd");
    assert_eq!(gpustream::parse_visible_devices(None).unwrap().len(), 64);
    assert_eq!(status(gpustream::parse_visible_devices(Some("0\x001"))), Status::INVALID_ARGUMENT);
    let uuids = ["GPU-aa1", "GPU-ab2", "GPU-c3"];
    assert_eq!(gpustream::match_uuids(&["GPU-c", "GPU-aa"], &uuids), [2, 0]);
    assert_eq!(gpustream::match_uuids(&["GPU-c", "GPU-a", "GPU-aa"], &uuids), [2], "one fits two");
    assert_eq!(gpustream::match_uuids(&["GPU-c", "GPU-c3"], &uuids), [0; 0], "two for one");
    assert_eq!(gpustream::match_uuids::<&str, _>(&[], &uuids), [0; 0]);
}

#[test]
fn telemetry_of_the_host() {
    let _alone = alone();
    let memory = Device::new(0).memory_bytes().unwrap();
    assert!(memory.total > 0 && memory.used + memory.free <= memory.total, "{memory:?}");
    assert!((0..=100).contains(&Device::new(0).utilization_percent().unwrap()));
    assert!((0..=100).contains(&Device::new(0).memory_utilization_percent().unwrap()));
    assert_eq!(status(Device::new(0).power_milliwatts()), Status::NOT_SUPPORTED);
    for told in [Device::new(0).temperature_celsius(), Device::new(0).sm_clock_mhz()] {
        assert!(matches!(status(told), Status::OK | Status::NOT_SUPPORTED), "only if the system reports it");
    }
    assert_eq!(status(Device::new(9).memory_bytes()), Status::INVALID_DEVICE);
}

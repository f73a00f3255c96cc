// SPDX-License-Identifier: Apache-2.0
//! The feature `cudarc` of the crate: streams converted both ways, and who keeps which alive.

use std::sync::Arc;

use cudarc::driver::CudaContext;
use gpustream::{Backend, CudarcStream, Device, Event, HostBuffer, Status, Stream};

use crate::checks::{SIZE, assert_seven, assert_seven_at, context, fill_by_cudarc, memory, raw};
use crate::support::Held;

pub const ALL: [(&str, fn()); 4] = [
    ("snippet_of_the_guide", || snippet_of_the_guide().unwrap()),
    ("converted_cudarc_stream_lives_with_ours", converted_cudarc_stream_lives_with_ours),
    ("converted_stream_of_ours_lives_with_cudarcs", converted_stream_of_ours_lives_with_cudarcs),
    ("converted_cudarc_event_orders_our_work", converted_cudarc_event_orders_our_work),
];

/// The snippet of docs/guide/interop/cudarc.md.
fn snippet_of_the_guide() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let theirs = context.new_stream()?;
    let ours = Stream::try_from(theirs.clone())?; // keeps cudarc's stream
    ours.synchronize()?;

    let lent = CudarcStream::try_from(Stream::new()?)?; // what cudarc's functions take
    let zeros = lent.alloc_zeros::<f32>(1024)?;
    lent.record_event(None)?;
    drop(zeros);
    lent.synchronize()?;
    Ok(())
}

fn converted_cudarc_event_orders_our_work() {
    let context = context();
    let (producer, consumer) = (context.new_stream().unwrap(), Stream::new().unwrap());
    let ours = Stream::try_from(producer.clone()).unwrap();
    let pointer = memory(&consumer);
    let mut host = HostBuffer::new(SIZE).unwrap();
    let held = Held::on(ours.clone());
    fill_by_cudarc(pointer, &producer);
    let done = Event::try_from(producer.record_event(None).unwrap()).unwrap();
    consumer.wait_event(&done).unwrap();
    // SAFETY: both ranges live until the synchronization.
    unsafe { consumer.memcpy(host.as_mut_ptr().cast(), pointer, SIZE) }.unwrap();
    assert_eq!((done.query(), consumer.query()), (Ok(false), Ok(false)));
    held.gate.open();
    consumer.synchronize().unwrap();
    assert_seven(&host);
    assert_eq!(done.query(), Ok(true));
    // SAFETY: all work that uses it is done.
    unsafe { consumer.free(pointer) }.unwrap();
}

fn converted_cudarc_stream_lives_with_ours() {
    let context = context();
    assert_eq!(Device::from(&*context), Device::on(Backend::Cuda, 0));
    let theirs = context.new_stream().unwrap();
    let watched = Arc::downgrade(&theirs);
    let ours = Stream::try_from(theirs.clone()).unwrap();
    let again = Stream::try_from(theirs).unwrap();
    assert_eq!(ours, again);
    assert_eq!(ours.as_raw_stream().unwrap(), watched.upgrade().unwrap().cu_stream().cast());
    let pointer = memory(&ours);
    fill_by_cudarc(pointer, &watched.upgrade().unwrap());
    assert_seven_at(pointer, &ours);
    drop(ours);
    assert!(watched.upgrade().is_some(), "the second conversion keeps it");
    drop(again);
    assert!(watched.upgrade().is_none(), "the last reference keeps nothing");

    let default = Stream::try_from(context.default_stream()).unwrap();
    assert_eq!(default, Stream::default_on(Device::new(0)).unwrap());
}

fn converted_stream_of_ours_lives_with_cudarcs() {
    let stream = Stream::new().unwrap();
    let numbers = stream.pack().unwrap();
    // SAFETY: the numbers of a stream of gpustream's own.
    let is_alive = || unsafe { Stream::unpack(numbers) }.is_ok();
    let converted = CudarcStream::try_from(stream).unwrap();
    assert_eq!(converted.cu_stream(), raw(converted.stream()));
    assert_eq!(Stream::try_from((*converted).clone()).unwrap(), *converted.stream(), "it is ours again");
    let pointer = memory(converted.stream());
    fill_by_cudarc(pointer, &converted);
    assert_seven_at(pointer, converted.stream());
    assert!(is_alive());
    drop(converted);
    assert!(!is_alive());

    let stream = Stream::new().unwrap();
    let numbers = stream.pack().unwrap();
    let converted = CudarcStream::try_from(stream).unwrap();
    let kept = (*converted).clone();
    drop(converted);
    // SAFETY: as above.
    assert!(unsafe { Stream::unpack(numbers) }.is_ok(), "cudarc still has the driver's stream");
    kept.synchronize().unwrap();

    let host = Stream::builder().device(Device::on(Backend::Host, 0)).build().unwrap();
    assert_eq!(CudarcStream::try_from(host).unwrap_err().status(), Status::NOT_SUPPORTED);
}

// SPDX-License-Identifier: Apache-2.0
// This must compile: every type that may cross threads does.
use gpustream::{
    BorrowedStream, Device, DeviceBuffer, Error, Event, Finished, HostBuffer, IpcHandle, Kernel, Module, Pending,
    PendingFuture, Stream, StreamRef,
};

fn crosses_threads<T: Send + Sync>() {}

fn main() {
    crosses_threads::<Stream>();
    crosses_threads::<&StreamRef>();
    crosses_threads::<BorrowedStream<'_>>();
    crosses_threads::<Event>();
    crosses_threads::<Device>();
    crosses_threads::<Error>();
    crosses_threads::<IpcHandle>();
    crosses_threads::<HostBuffer>();
    crosses_threads::<DeviceBuffer>();
    crosses_threads::<Pending<(DeviceBuffer, HostBuffer)>>();
    crosses_threads::<PendingFuture<(DeviceBuffer, HostBuffer)>>();
    crosses_threads::<Module>();
    crosses_threads::<Kernel<'_>>();
    crosses_threads::<Finished>();
}

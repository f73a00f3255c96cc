// SPDX-License-Identifier: Apache-2.0
// This must compile: every type that may cross threads does.
use gpustream::{
    BorrowedGraph, BorrowedStream, CaptureInfo, Completion, CompletionQueue, Condition, Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, Error, Event, Finished, Graph,
    GraphExec, GraphRef, GraphUpdate, HostBuffer, IpcHandle, Kernel, Module, Node, NodeInfo, Pending, PendingFuture,
    QueueFd, Stream, StreamRef,
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
    crosses_threads::<(HostBuffer<f32>, DeviceBuffer<[u16; 3]>)>();
    crosses_threads::<(DeviceSlice<'_, f32>, DeviceSliceMut<'_, f32>)>();
    crosses_threads::<Pending<(DeviceBuffer, HostBuffer)>>();
    crosses_threads::<PendingFuture<(DeviceBuffer, HostBuffer)>>();
    crosses_threads::<Module>();
    crosses_threads::<Kernel<'_>>();
    crosses_threads::<Finished>();
    crosses_threads::<(CompletionQueue, QueueFd, Completion)>();
    crosses_threads::<Graph>();
    crosses_threads::<&GraphRef>();
    crosses_threads::<BorrowedGraph<'_>>();
    crosses_threads::<Condition<'_>>();
    crosses_threads::<GraphExec>();
    crosses_threads::<(Node, NodeInfo, GraphUpdate, CaptureInfo)>();
}

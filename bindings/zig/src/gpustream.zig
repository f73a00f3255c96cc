// SPDX-License-Identifier: Apache-2.0
//! gpustream for Zig: devices, streams, events, scopes, memory, pools, kernels, timelines, queues and graphs, with errors as error
//! sets. Each function is the C function that it calls: whether it blocks and its thread rule are in gpustream.h. An owner has
//! `deinit()`, for `defer`. Nothing allocates on Zig's side.

pub const raw = @import("raw.zig");

const errors = @import("errors.zig");
pub const Error = errors.Error;
pub const Detail = errors.Detail;
pub const check = errors.check;
pub const lastError = errors.lastError;
pub const statusOf = errors.statusOf;
pub const library = @import("library.zig");

const device = @import("device.zig");
pub const Device = device.Device;
pub const DeviceInfo = device.DeviceInfo;
pub const DeviceScope = device.DeviceScope;
pub const current = device.current;
pub const none = device.none;
pub const currentDevice = device.currentDevice;
pub const deviceCount = device.deviceCount;
pub const resetDevice = device.resetDevice;
pub const setCurrentDevice = device.setCurrentDevice;
pub const synchronizeDevice = device.synchronizeDevice;
pub const synchronizeDeviceFor = device.synchronizeDeviceFor;

const stream = @import("stream.zig");
pub const Stream = stream.Stream;
pub const priority_level = stream.priority_level;
pub const currentStream = stream.currentStream;
pub const defaultStream = stream.defaultStream;
pub const StreamPool = @import("stream_pool.zig").StreamPool;
pub const Scope = @import("scope.zig").Scope;
pub const Event = @import("event.zig").Event;
pub const TimedEvent = @import("event.zig").TimedEvent;
pub const Timeline = @import("timeline.zig").Timeline;
pub const Token = @import("token.zig").Token;

pub const Buffer = @import("memory.zig").Buffer;
pub const HostBuffer = @import("memory.zig").HostBuffer;
pub const Partition = @import("partition.zig").Partition;
pub const Pool = @import("pool.zig").Pool;
pub const random = @import("random.zig");
pub const Module = @import("module.zig").Module;
pub const Kernel = @import("module.zig").Kernel;
pub const Launch = @import("module.zig").Launch;

pub const checker = @import("checker.zig");
pub const ForbidSync = @import("forbid.zig").ForbidSync;
pub const Range = @import("range.zig").Range;
pub const mark = @import("range.zig").mark;

pub const Completion = @import("queue.zig").Completion;
pub const CompletionQueue = @import("queue.zig").CompletionQueue;
pub const Graph = @import("graph.zig").Graph;
pub const GraphExec = @import("graph.zig").GraphExec;
pub const Node = @import("graph.zig").Node;

test {
    _ = raw;
    _ = @import("address.zig");
    _ = errors;
    _ = library;
}

// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const addressOf = @import("address.zig").addressOf;
const writtenAt = @import("address.zig").writtenAt;
const text = @import("text.zig");
const module = @import("module.zig");
const Stream = @import("stream.zig").Stream;

/// A node of a graph: a number that no other node of the process ever has.
pub const Node = raw.gs_node_t;

/// Work with an order, captured from streams or built from nodes. Functions that add a node take those that come before it.
pub const Graph = struct {
    handle: raw.gs_graph_t = null,

    pub fn init(device: raw.gs_device_t) Error!Graph {
        return calls.owner(Graph, raw.gs_graph_create, .{ device, 0 });
    }
    /// Wraps a cudaGraph_t, as a number, that its owner keeps alive.
    pub fn fromNative(device: raw.gs_device_t, number: usize) Error!Graph {
        return calls.owner(Graph, raw.gs_graph_from_native, .{ device, number });
    }
    pub fn deinit(self: Graph) void {
        ends.end(raw.gs_graph_destroy, self.handle);
    }
    /// Another reference to the same graph, with a deinit() of its own.
    pub fn retain(self: Graph) Error!Graph {
        try errors.check(raw.gs_graph_retain(self.handle));
        return self;
    }
    /// A graph of one's own with the same nodes.
    pub fn clone(self: Graph) Error!Graph {
        return calls.owner(Graph, raw.gs_graph_clone, .{self.handle});
    }
    /// Shown in error texts; null or "" is none. 63 bytes are kept.
    pub fn setName(self: Graph, name: ?[:0]const u8) Error!void {
        try errors.check(raw.gs_graph_set_name(self.handle, try text.forC(name)));
    }
    /// The cudaGraph_t as a number.
    pub fn native(self: Graph) Error!usize {
        return calls.number(usize, raw.gs_graph_native, .{self.handle});
    }
    pub fn info(self: Graph) Error!raw.gs_graph_summary_t {
        return calls.filled(raw.gs_graph_summary_t, raw.gs_graph_info, .{self.handle});
    }
    pub fn instantiate(self: Graph, flags: u32) Error!GraphExec {
        return calls.owner(GraphExec, raw.gs_graph_instantiate, .{ self.handle, flags });
    }

    fn add(self: Graph, after: []const Node, what: raw.gs_node_params_t) Error!Node {
        return calls.number(Node, raw.gs_graph_add_node, .{ self.handle, after.ptr, after.len, &what });
    }
    pub fn addEmpty(self: Graph, after: []const Node) Error!Node {
        return self.add(after, nodeOf(raw.GS_NODE_EMPTY));
    }
    /// Calls function(context) at each launch. `context` must live as long as the graph, its executables and their launches.
    pub fn addHost(self: Graph, context: anytype, comptime function: fn (@TypeOf(context)) void, after: []const Node) Error!Node {
        const carried = struct {
            fn run(arg: ?*anyopaque) callconv(.c) void {
                function(@ptrCast(@alignCast(arg.?)));
            }
        };
        var what = nodeOf(raw.GS_NODE_HOST);
        what.host_function = carried.run;
        what.host_argument = @ptrCast(context);
        return self.add(after, what);
    }
    /// As Kernel.launch().
    pub fn addKernel(self: Graph, kernel: module.Kernel, how: module.Launch, values: anytype, after: []const Node) Error!Node {
        var arguments: module.Arguments(@TypeOf(values)) = undefined;
        var what = nodeOf(raw.GS_NODE_KERNEL);
        what.kernel = kernel.handle;
        what.arguments = arguments.set(values);
        const config = how.config();
        what.grid_x, what.grid_y, what.grid_z = how.grid;
        what.block_x, what.block_y, what.block_z = how.block;
        what.shared_memory_bytes = config.shared_memory_bytes;
        what.flags = config.flags;
        what.cluster_x, what.cluster_y, what.cluster_z = how.cluster;
        what.priority = config.priority;
        what.event = config.programmatic_event;
        return self.add(after, what);
    }
    pub fn addCopy(self: Graph, to: anytype, from: anytype, bytes: usize, after: []const Node) Error!Node {
        var what = nodeOf(raw.GS_NODE_MEMCPY);
        what.dst = writtenAt(to);
        what.src = addressOf(from);
        what.bytes = bytes;
        return self.add(after, what);
    }
    pub fn addFill(self: Graph, to: anytype, byte: u8, bytes: usize, after: []const Node) Error!Node {
        var what = nodeOf(raw.GS_NODE_MEMSET);
        what.dst = writtenAt(to);
        what.value = byte;
        what.bytes = bytes;
        return self.add(after, what);
    }
    /// The ordering checker: the node reads these bytes at each launch of the executables that are made from then on.
    pub fn checkRead(self: Graph, node: Node, place: anytype, bytes: usize, label: ?[:0]const u8) Error!void {
        try errors.check(raw.gs_graph_check_read(self.handle, node, addressOf(place), bytes, try text.forC(label)));
    }
    /// It writes them, and possibly reads them.
    pub fn checkWrite(self: Graph, node: Node, place: anytype, bytes: usize, label: ?[:0]const u8) Error!void {
        try errors.check(raw.gs_graph_check_write(self.handle, node, addressOf(place), bytes, try text.forC(label)));
    }
    /// `mark` is an Event or a TimedEvent.
    pub fn addRecord(self: Graph, mark: anytype, after: []const Node) Error!Node {
        var what = nodeOf(raw.GS_NODE_RECORD);
        what.event = mark.handle;
        return self.add(after, what);
    }
    pub fn addWait(self: Graph, mark: anytype, after: []const Node) Error!Node {
        var what = nodeOf(raw.GS_NODE_WAIT);
        what.event = mark.handle;
        return self.add(after, what);
    }
    /// A copy of another graph as one node.
    pub fn addGraph(self: Graph, child: Graph, after: []const Node) Error!Node {
        var what = nodeOf(raw.GS_NODE_GRAPH);
        what.graph = child.handle;
        return self.add(after, what);
    }
};

fn nodeOf(kind: i32) raw.gs_node_params_t {
    var what = std.mem.zeroes(raw.gs_node_params_t);
    what.struct_size = @sizeOf(raw.gs_node_params_t);
    what.kind = kind;
    return what;
}

/// Can be launched any number of times.
pub const GraphExec = struct {
    handle: raw.gs_graph_exec_t = null,

    pub fn deinit(self: GraphExec) void {
        ends.end(raw.gs_graph_exec_destroy, self.handle);
    }
    /// Another reference, with a deinit() of its own.
    pub fn retain(self: GraphExec) Error!GraphExec {
        try errors.check(raw.gs_graph_exec_retain(self.handle));
        return self;
    }
    pub fn launch(self: GraphExec, stream: Stream) Error!void {
        try errors.check(raw.gs_graph_exec_launch(self.handle, stream.handle));
    }
    /// Prepares the first launch in the stream.
    pub fn upload(self: GraphExec, stream: Stream) Error!void {
        try errors.check(raw.gs_graph_exec_upload(self.handle, stream.handle));
    }
    /// From now on runs what another graph of the same shape says. If the result's reason differs from GS_UPDATE_OK, the
    /// executable is unchanged, and the result's node is the first that does not fit.
    pub fn update(self: GraphExec, graph: Graph) Error!raw.gs_graph_update_t {
        return calls.filled(raw.gs_graph_update_t, raw.gs_graph_exec_update, .{ self.handle, graph.handle });
    }
};

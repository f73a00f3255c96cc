// SPDX-License-Identifier: Apache-2.0
//! A program that ends with work pending and all its objects open: it ends well, and at once.
const gpustream = @import("gpustream");

pub fn main() !void {
    const work = try gpustream.Stream.init(.{});
    const mark = try gpustream.Event.init(0);
    var memory = try gpustream.Buffer.init(work, 4096);
    try work.sleep(60_000_000_000); // a minute on the host backend
    try work.fill(&memory, 1, 4096);
    try work.record(mark);
    if (try work.query()) return error.TheWorkIsDone;
}

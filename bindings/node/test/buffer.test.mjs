// SPDX-License-Identifier: Apache-2.0
// Device buffers and the streams that use them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, hold, onHost, parityNative, refuses } from './support.mjs';

const { Device, Graph, HostBuffer, Module, Pool, Stream } = gpustream;

const streams = (n, device = Device.CURRENT) => Array.from({ length: n }, () => new Stream({ device }));
const closeAll = (...all) => all.forEach((one) => one.close());

function filled(stream, bytes, value) {
  const buffer = stream.malloc(bytes);
  buffer.fill(value, stream);
  return buffer;
}

/** Every byte of the buffer, read in a stream, is the value. */
function contains(value, buffer, stream) {
  const to = new HostBuffer(buffer.length);
  buffer.copyTo(to, stream);
  stream.synchronize();
  assert.deepEqual([...to.bytes], Array(buffer.length).fill(value));
  to.close();
}

/** Closes a buffer, and returns whether its memory is given out again at once. */
function isReused(buffer, pool, stream) {
  const { address, length } = buffer;
  buffer.close();
  const next = pool.malloc(length, stream);
  try {
    return next.address === address;
  } finally {
    next.close();
  }
}

test('work goes to the current stream', () => {
  const [own, current, named] = streams(3, new Device(1));
  const [buffer, other, inner] = [filled(own, 8, 1), filled(own, 8, 2), new Stream({ device: new Device(0) })];
  own.synchronize();
  buffer.fill(1, named);
  current.run(() => inner.run(() => {
    const gate = hold(current); // the device of the buffer says which stream is current
    buffer.fill(3);
    buffer.copyFrom(other);
    assert.deepEqual([current.query(), own.query()], [false, true]);
    contains(1, buffer, named); // nothing waits by itself
    gate.open();
    current.synchronize();
  }));
  contains(2, buffer, named);
  current.run(() => {
    const gate = hold(current);
    Stream.CURRENT.fill(buffer, 5);
    assert.equal(current.query(), false);
    gate.open();
  });
  assert.throws(() => buffer.fill(1, null), TypeError);
  closeAll(buffer, other);
  for (const use of [() => buffer.fill(1), () => buffer.copyFrom(other), () => named.copy(other, buffer)]) assert.throws(use, TypeError);
  closeAll(own, current, named, inner);
});

test('the first use elsewhere waits for the allocation', () => {
  const [own, other, third, fourth] = streams(4);
  const gate = hold(own);
  const [buffer, target] = [own.malloc(8), third.malloc(8)];
  buffer.fill(1, other);
  target.copyFrom(buffer, third);
  assert.deepEqual([other.query(), third.query()], [false, false]);
  gate.open();
  for (const stream of [other, third]) stream.synchronize();
  const again = hold(own);
  for (const stream of [other, third, fourth]) {
    buffer.fill(2, stream); // the allocation is known to be done
    stream.synchronize();
  }
  again.open();
  closeAll(buffer, target, own, other, third, fourth);
});

test('memory is freed behind all streams that used it', () => {
  const [pool, [own, user]] = [new Pool({ device: onHost }), streams(2, onHost)];
  const kernel = new Module(parityNative, onHost).kernel('parity_scale');
  const host = new HostBuffer(16);
  for (const use of [
    (buffer, stream) => stream.copy(host, buffer),
    (buffer, stream) => buffer.copyTo(host, stream),
    (buffer, stream) => stream.launch(kernel, { grid: 1, block: 4 }, buffer, { u32: 5 }),
  ])
    for (const stream of [own, user]) {
      const buffer = pool.malloc(16, own);
      const gate = hold(stream);
      use(buffer, stream);
      assert.equal(isReused(buffer, pool, own), stream === own);
      gate.open();
      stream.synchronize();
    }
  const buffer = pool.malloc(16, own);
  const gate = hold(user);
  buffer.fill(1, user);
  const { address } = buffer;
  buffer.closeAfter(own); // and the user
  const next = pool.malloc(16, own);
  assert.notEqual(next.address, address);
  gate.open();
  closeAll(next, host, kernel.module, pool, own, user);
});

test('streams that are done are forgotten', () => {
  const own = new Stream();
  const buffer = own.malloc(8);
  const handles = Array.from({ length: 48 }, () => {
    const stream = new Stream();
    buffer.fill(1, stream);
    stream.synchronize();
    const { handle } = stream;
    stream.close(); // the buffer has a reference of its own
    return handle;
  });
  const answer = new Uint8Array(4);
  const kept = handles.filter((handle) => gpustream.native.gs_stream_is_capturing(handle, answer) === 0);
  assert.ok(kept.length > 0 && kept.length <= 16, `${kept.length} streams are kept`);
  closeAll(buffer, own);
});

test('in a capture the host waits for the allocation, and the graph keeps what is closed', () => {
  const [pool, [own, s, side]] = [new Pool(), streams(3)];
  const [buffer, kept] = [filled(own, 8, 1), pool.malloc(8, own)];
  const launched = (graph) => {
    const exec = graph.instantiate();
    exec.launch(s);
    s.synchronize();
    closeAll(exec, graph);
  };
  const first = Graph.capture(s, () => s.run(() => {
    buffer.fill(2);
    kept.fill(3);
    kept.copyTo(buffer);
    kept.close();
  }));
  contains(1, buffer, own);
  launched(first);
  contains(3, buffer, s);
  const fresh = own.malloc(8);
  launched(Graph.capture(s, () => {
    const [inside, late] = [s.malloc(8), s.malloc(8)]; // are the graph's
    inside.fill(4, side); // which takes part in the capture
    s.waitStream(side);
    buffer.copyFrom(inside, s);
    inside.close();
    late.fill(0, side);
    late.close(); // behind that
  }));
  contains(4, buffer, s);
  Graph.capture(own, () => {
    refuses('GS_ERROR_CAPTURING', () => fresh.fill(1, side));
    Graph.capture(s, () => fresh.fill(1, s)).close();
  }).close();
  closeAll(fresh, buffer, pool, own, s, side);
});

test('memory of no bytes works everywhere', () => {
  const [pool, [s, other, third]] = [new Pool(), streams(3)];
  for (const buffer of [s.malloc(0), pool.malloc(0, s)]) {
    const host = new HostBuffer(0);
    const work = () => {
      buffer.fill(1);
      buffer.fill(1, other);
      buffer.copyFrom(host);
      buffer.copyTo(host, s);
      s.fill(host, 1);
    };
    Graph.capture(s, () => s.run(work)).close();
    work();
    assert.deepEqual([buffer.address, buffer.length, host.bytes.length, buffer.closed], [0n, 0, 0, false]);
    assert.throws(() => s.fill(buffer, 1, 1), RangeError);
    closeAll(buffer, host);
    assert.throws(() => s.copy(buffer, buffer), TypeError);
    assert.throws(() => s.fill(host, 1), TypeError);
  }
  const empty = s.malloc(0);
  empty.closeAfter(s, other);
  assert.equal(empty.closed, true);
  closeAll(pool, s, other, third);
});

test('several copies in one call', () => {
  const [stream, other] = [new Stream(), new Stream()];
  const [from, to] = [new HostBuffer(8), new HostBuffer(8)];
  const [device, elsewhere] = [stream.malloc(8), other.malloc(4)];
  from.bytes.set([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const order of [gpustream.raw.GS_ACCESS_ORDER_STREAM, gpustream.raw.GS_ACCESS_ORDER_DURING_CALL, gpustream.raw.GS_ACCESS_ORDER_ANY]) {
    stream.copyBatch([{ dst: device, src: from }, { dst: elsewhere, src: from, bytes: 3 }, { dst: to, src: from, bytes: 0 }], order);
    stream.synchronize();
    to.bytes.fill(0);
    stream.copyBatch([{ dst: to, src: device }]);
    stream.synchronize();
    assert.deepEqual([...to.bytes], [1, 2, 3, 4, 5, 6, 7, 8]);
  }
  stream.copyBatch([]);
  assert.throws(() => stream.copyBatch([{ dst: device, src: from, bytes: 9 }]), RangeError);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => stream.copyBatch([], 0));
  closeAll(device, elsewhere, from, to, other, stream);
  assert.throws(() => Stream.current().copyBatch([{ dst: to, src: to, bytes: 0 }]), TypeError);
});

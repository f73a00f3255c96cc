// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';
import { gpustream, hold, onHost, parityNative, program, refuses } from './support.mjs';

const { CompletionQueue, Device, Event, GpuStreamError, Graph, HostBuffer, Module, native, raw, Scope, Stream } = gpustream;
const second = new Device(1);

test('ES modules and CommonJS share everything', () => {
  const common = createRequire(import.meta.url)('../build/dist/index.js');
  assert.equal(common.Stream, Stream);
  assert.equal(gpustream.version(), '0.1.0');
});

test('streams and events are ordered', () => {
  const [a, b, e] = [new Stream({ device: second, priority: -1 }), new Stream({ device: second, dedicated: true }), new Event()];
  const gate = hold(a);
  a.record(e);
  b.waitEvent(e);
  assert.deepEqual([a.query(), b.query(), e.query()], [false, false, false]);
  refuses('GS_ERROR_TIMEOUT', () => b.synchronize(0));
  gate.open();
  b.synchronize();
  e.synchronize(60_000);
  assert.deepEqual([e.query(), a.device.number, a.priority, a.equals(b)], [true, 1, -1, false]);
  assert.notEqual(a.native, b.native);
  for (const one of [a, b, e]) one.close();
});

test('priorities have levels', () => {
  const { least, greatest } = second.priorityRange();
  for (const [priority, wanted] of [['high', greatest], ['normal', 0], ['low', least], [least + 5, least]]) {
    const s = new Stream({ device: second, priority });
    assert.equal(s.priority, wanted, String(priority));
    s.close();
  }
  for (const priority of ['urgent', 'toString', '']) assert.throws(() => new Stream({ priority }), TypeError);
});

test('a device is reset', () => {
  const printed = program(`
    import gs from '../index.mjs';
    const s = new gs.Stream({ device: new gs.Device(1) });
    s.sleep(1000n);
    new gs.Device(1).reset();
    try { s.query(); } catch (error) { console.log(error.code); }
    s.close();`);
  assert.equal(printed.trim(), 'GS_ERROR_CONTEXT_LOST');
});

test('events have times', () => {
  const [s, start, end] = [new Stream(), new Event({ timing: true }), new Event({ timing: true })];
  refuses('GS_ERROR_NOT_RECORDED', () => start.elapsedMs(end));
  s.record(start);
  s.sleep(1_000_000);
  s.record(end).synchronize();
  assert.ok(start.elapsedMs(end) >= 1);
  for (const one of [s, start, end]) one[Symbol.dispose]();
});

test('raw handles go in and out', () => {
  const s = new Stream();
  const same = Stream.fromNative(s.native);
  assert.ok(same.equals(s));
  same.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => Stream.fromNative(5n));
  const own = new Stream({ dedicated: true });
  assert.notEqual(own.intoNative(), 0n);
  assert.ok(own.closed);
  s.close();
});

test('bad handles are errors', () => {
  const event = new Event();
  const closed = new Stream();
  const stale = Stream.fromHandle(closed.handle);
  closed.close();
  closed.close();
  for (const one of [closed, stale, Stream.fromHandle(0xdeadbeefn), Stream.fromHandle(event.handle), Stream.fromHandle(-1n)]) {
    refuses('GS_ERROR_INVALID_HANDLE', () => one.query());
    refuses('GS_ERROR_INVALID_HANDLE', () => one.record(event));
    refuses('GS_ERROR_INVALID_HANDLE', () => one.enter());
    refuses('GS_ERROR_INVALID_HANDLE', () => one.malloc(8));
  }
  refuses('GS_ERROR_INVALID_HANDLE', () => stale.close());
  event.close();
});

test('wrong types are TypeErrors', () => {
  const [s, e] = [new Stream(), new Event()];
  for (const wrong of [undefined, null, 7, 'text', {}, s]) assert.throws(() => s.record(wrong === undefined ? null : wrong), TypeError);
  assert.throws(() => s.waitEvent(e.handle), { name: 'TypeError', message: /^the event must be an Event, not / });
  assert.throws(() => new Stream({ device: 'first' }), TypeError);
  assert.throws(() => new Device(1.5), TypeError);
  assert.throws(() => s.synchronize('soon'), TypeError);
  assert.throws(() => s.sleep('long'), SyntaxError);
  assert.throws(() => Stream.fromHandle(7), TypeError);
  assert.throws(() => s.notify('text'), TypeError);
  assert.throws(() => native.gs_event_query(e.handle), TypeError);
  assert.throws(() => native.gs_event_query(1.5, null), TypeError);
  assert.throws(() => native.gs_event_create(-1, new BigUint64Array(1)), TypeError);
  assert.throws(() => native.gs_stream_create(2 ** 31, 0, 0, new BigUint64Array(1)), TypeError);
  assert.throws(() => native.gs_parse_visible_devices('a\0b', new BigUint64Array(1)), TypeError);
  assert.equal(native.gs_event_query(e.handle, null), raw.GS_ERROR_INVALID_ARGUMENT);
  s.close();
  e.close();
});

test('errors have all fields', () => {
  try {
    new Stream({ device: new Device(7) });
    assert.fail();
  } catch (error) {
    assert.ok(error instanceof GpuStreamError);
    const { code, status, function: name, sticky, nativeCode, origin, reason, stream, event, device } = error;
    assert.deepEqual({ code, status, name, sticky, nativeCode, origin, reason, stream, event, device },
      { code: 'GS_ERROR_INVALID_DEVICE', status: 12, name: 'gs_stream_create', sticky: false, nativeCode: 0, origin: '', reason: 0,
        stream: 0n, event: 0n, device: 7 });
    assert.match(error.message, /7/);
  }
});

test('scopes nest, and end in order', () => {
  const [outer, inner] = [new Stream({ device: new Device(0) }), new Stream({ device: second })];
  const first = outer.enter();
  const next = inner.enter();
  assert.ok(Stream.current().equals(inner));
  assert.equal(Device.current().number, 1);
  refuses('GS_ERROR_SCOPE', () => first.close());
  next[Symbol.dispose]();
  assert.ok(Stream.current().equals(outer));
  first.close();
  refuses('GS_ERROR_SCOPE', () => first.close());
  assert.throws(() => outer.run(() => { throw new RangeError('inside'); }), RangeError);
  assert.throws(() => outer.run(async () => {}), /asynchronous/);
  assert.ok(!Stream.current().equals(outer));
  assert.ok(second.enter() instanceof Scope);
  assert.throws(() => native.gs_pop_current_stream('0'), TypeError);
  native.gs_pop_current_stream(0n);
  outer.close();
  inner.close();
});

test('attributes of launches', () => {
  const [s, to, timed] = [new Stream({ device: onHost }), new HostBuffer(48), new Event({ timing: true })];
  const kernel = new Module(parityNative, onHost).kernel('parity_scale');
  const launch = (how) => s.launch(kernel, { grid: 6, block: 2, ...how }, to, { u32: 5 });
  const wrong = [
    [{ cluster: [2, 3, 5] }, /cluster of 2 x 3 x 5 blocks/],
    [{ grid: 1e6, block: 1024, cooperative: true }, /launch fewer/],
    [{ programmaticEvent: timed }, /without GS_EVENT_TIMING/],
  ];
  for (const [how, text] of wrong) assert.throws(() => launch(how), text);
  const graph = new Graph(onHost);
  assert.throws(() => graph.addKernel(kernel, { programmatic: true }, [to, { u32: 5 }]), /GS_LAUNCH_PROGRAMMATIC/);
  graph.addKernel(kernel, { cluster: 1, priority: -1, remoteDomain: true }, [to, { u32: 5 }]);
  launch({ cluster: 2, priority: -1, remoteDomain: true, programmatic: true, programmaticEvent: new Event() });
  s.synchronize();
  assert.equal(new Uint32Array(to.buffer)[11], 55);
});

test('memory, kernels and graphs', () => {
  const s = new Stream({ device: onHost });
  const [from, to, device] = [new HostBuffer(48), new HostBuffer(48), s.malloc(48)];
  from.bytes.set(Array.from({ length: 48 }, (_, i) => i));
  s.copy(device, from);
  s.copy(to, device);
  s.fill(to, 9, 2);
  device.close();
  s.synchronize();
  assert.deepEqual([...to.bytes.slice(0, 4)], [9, 9, 2, 3]);
  assert.throws(() => s.copy(to, device, 1), TypeError);
  assert.throws(() => s.fill(to, 0, 49), RangeError);

  const kernel = new Module(parityNative, onHost).kernel('parity_scale');
  s.launch(kernel, { grid: 3, block: [4] }, to, { u32: 5 });
  s.synchronize();
  assert.deepEqual([...new Uint32Array(to.buffer)], Array.from({ length: 12 }, (_, i) => 5 * i));
  assert.throws(() => s.launch(kernel, {}, 'text'), TypeError);
  assert.throws(() => kernel.module.kernel('no_such_kernel'), GpuStreamError);

  const graph = new Graph(onHost);
  const scaled = graph.addKernel(kernel, { grid: 3, block: 4 }, [to, { u32: 2 }]);
  const event = new Event();
  graph.addRecord(event, graph.addEmpty(graph.addFill(to, 1, 4, scaled)));
  assert.equal(graph.info().nodeCount, 4n);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => graph.addEmpty(scaled, scaled));
  const exec = graph.instantiate();
  assert.equal(exec.update(graph.clone()).reason, raw.GS_UPDATE_OK);
  exec.launch(s);
  s.synchronize();
  assert.deepEqual([new Uint32Array(to.buffer)[0], new Uint32Array(to.buffer)[11], event.query()], [0x01010101, 22, true]);

  const captured = Graph.capture(s, () => s.fill(to, 3, 4));
  captured.instantiate().launch(s);
  s.synchronize();
  assert.equal(to.bytes[0], 3);
  assert.throws(() => Graph.capture(s, () => { throw new RangeError('inside'); }), RangeError);
  assert.equal(s.capturing, false);
  const { buffer } = to;
  to.close();
  assert.equal(buffer.byteLength, 0);
  for (const one of [from, graph, exec, captured, event, s]) one.close();
});

test('queues', () => {
  const [q, s, e] = [new CompletionQueue(2), new Stream(), new Event()];
  const gate = hold(s);
  s.record(e);
  q.addStream(s, 7n);
  q.addEvent(e, 8n);
  assert.deepEqual(q.poll(), []);
  refuses('GS_ERROR_FULL', () => q.addStream(s, 9n));
  assert.equal(q.cancel(8n), 1);
  const [end] = q.poll();
  assert.deepEqual([end.token, end.status], [8n, raw.GS_ERROR_CANCELLED]);
  gate.open();
  s.synchronize();
  for (const one of [q, s, e]) one.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => q.poll());
});

test('objects that are forgotten are reported, and stay', () => {
  const text = `
    import gs from '../index.mjs';
    let told;
    gs.onLeak((kind, stack) => (told = { kind, stack }));
    let handle = (() => new gs.Event().handle)();
    new gs.Event().close();
    while (!told) { globalThis.gc(); await new Promise((resolve) => setImmediate(resolve)); }
    console.log(told.kind, /at /.test(told.stack), gs.Event.fromHandle(handle).query());`;
  assert.equal(program(text, { args: ['--expose-gc'] }).trim(), 'event true true');
});

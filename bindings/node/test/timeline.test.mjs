// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, onHost, program, refuses } from './support.mjs';

const { Device, Event, Graph, HostBuffer, raw, setUnrecorded, Stream, Timeline } = gpustream;

test('waits come before their signals', async () => {
  const [t, a, b] = [new Timeline(3n), new Stream(), new Stream()];
  t.wait(5n, a);
  assert.deepEqual([a.query(), t.value], [false, 3n]);
  refuses('GS_ERROR_TIMEOUT', () => t.synchronize(5n, 0));
  const order = [];
  const reached = t.reached(5n).then(() => order.push('reached'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, []);
  t.signal(5n, b);
  t.synchronize(5n);
  a.synchronize();
  await reached;
  t.set(6n);
  await t.reached(6n);
  assert.equal(t.value, 6n);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => t.set(6n));
  for (const one of [t, a, b]) one.close();
});

test('an abort ends all waits', async () => {
  const [t, s] = [new Timeline(), new Stream()];
  t.wait(1n, s);
  const reached = t.reached(1n);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => t.abort(raw.GS_ERROR_TIMEOUT));
  t.abort();
  await assert.rejects(reached, { code: 'GS_ERROR_ABORTED' });
  s.synchronize();
  refuses('GS_ERROR_ABORTED', () => t.value);
  refuses('GS_ERROR_ABORTED', () => t.signal(2n, s));
  t.close();
  s.close();
});

test('a closed timeline frees streams, and its promises fail', async () => {
  const [t, s] = [new Timeline(), new Stream()];
  t.wait(1n, s);
  const reached = t.reached(1n);
  const controller = new AbortController();
  const enough = t.reached(1n, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(enough, /enough/);
  await assert.rejects(t.reached(1n, { signal: controller.signal }), /enough/);
  t.close();
  t.close();
  await assert.rejects(reached, { code: 'GS_ERROR_INVALID_HANDLE' });
  s.synchronize();
  refuses('GS_ERROR_INVALID_HANDLE', () => t.wait(1n, s));
  await assert.rejects(t.reached(1n), { code: 'GS_ERROR_INVALID_HANDLE' });
  refuses('GS_ERROR_INVALID_HANDLE', () => Timeline.fromHandle(s.handle).set(1n));
  assert.throws(() => new Timeline(1n, new Device(0)).wait(2n, t), TypeError);
  assert.throws(() => new Timeline('first'), TypeError);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => new Timeline(2n ** 63n));
  refuses('GS_ERROR_INVALID_DEVICE', () => new Timeline(0n, new Device(7)));
  s.close();
});

test('a timeline whose signals come first', () => {
  const [t, a, b] = [new Timeline(0n, Device.CURRENT, { signalFirst: true }), new Stream(), new Stream()];
  refuses('GS_ERROR_INVALID_ARGUMENT', () => t.wait(1n, b));
  t.signal(2n, a);
  t.wait(1n, b);
  b.synchronize();
  assert.equal(t.value, 2n);
  for (const one of [t, a, b]) one.close();
});

test('an event is recorded once', () => {
  const [s, e, other] = [new Stream(), new Event(), new Event()];
  assert.deepEqual([e.recordOnce(s), e.recordOnce(s)], [true, false]);
  s.close();
  assert.equal(e.recordOnce(s), false);
  refuses('GS_ERROR_INVALID_HANDLE', () => other.recordOnce(s));
  e.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => e.recordOnce(s));
  other.close();
});

test('records and waits of external events are nodes', () => {
  const [s, e, always] = [new Stream(), new Event({ external: true }), new Event({ external: true })];
  const graph = Graph.capture(s, () => { s.waitEvent(e); s.record(e); s.record(always); });
  assert.equal(graph.info().nodeCount, 3n);
  const exec = graph.instantiate();
  exec.launch(s);
  s.synchronize();
  assert.notEqual(e.native, 0n);
  for (const one of [exec, graph, s, e, always]) one.close();
});

test('waits without a record', () => {
  const [s, e] = [new Stream(), new Event()];
  s.waitEvent(e);
  setUnrecorded(raw.GS_UNRECORDED_ERROR);
  try {
    assert.equal(gpustream.getUnrecorded(), raw.GS_UNRECORDED_ERROR);
    refuses('GS_ERROR_NOT_RECORDED', () => s.waitEvent(e));
    refuses('GS_ERROR_NOT_RECORDED', () => e.synchronize());
  } finally {
    setUnrecorded(raw.GS_UNRECORDED_IGNORE);
  }
  refuses('GS_ERROR_INVALID_ARGUMENT', () => setUnrecorded(9));
  for (const one of [s, e]) one.close();
});

test("times by the host's clock", () => {
  const [s, start, end] = [new Stream(), new Event({ timing: true }), new Event({ timing: true })];
  const earliest = process.hrtime.bigint();
  s.record(start);
  s.sleep(1_000_000);
  s.record(end);
  s.synchronize();
  assert.ok(Device.CURRENT.calibrate() >= 0n);
  const latest = process.hrtime.bigint();
  const between = start.elapsedNs(end);
  assert.ok(between >= 1_000_000n && end.elapsedNs(start) === -between);
  const [first, last] = [start.hostTime(), end.hostTime()];
  const off = last.ns - first.ns - between;
  assert.ok((off < 0n ? -off : off) <= first.errorNs + last.errorNs);
  assert.ok(first.ns + first.errorNs >= earliest && last.ns - last.errorNs <= latest);
  refuses('GS_ERROR_TIMING_DISABLED', () => new Event().hostTime());
  refuses('GS_ERROR_INVALID_DEVICE', () => new Device(7).calibrate());
  for (const one of [s, start, end]) one.close();
});

test('conditions, and nodes that are off', () => {
  const [s, words] = [new Stream({ device: onHost }), new HostBuffer(8)];
  words.bytes.fill(0);
  const graph = new Graph(onHost);
  const { node, bodies } = graph.addCondition(raw.GS_CONDITION_WHILE, 1, 1);
  const condition = new HostBuffer(4);
  condition.bytes.fill(0);
  const filled = bodies[0].addFill(words, 3, 8);
  bodies[0].addSetCondition(graph, node, condition, filled);
  for (const body of bodies) body.close(); // does nothing: the node has it
  const last = graph.addFill(words, 9, 4, node);
  const exec = graph.instantiate();
  exec.enable(last, false);
  exec.upload(s);
  exec.launch(s);
  s.synchronize();
  assert.deepEqual([...words.bytes], [3, 3, 3, 3, 3, 3, 3, 3]);
  exec.enable(last, true);
  exec.launch(s);
  s.synchronize();
  assert.deepEqual([words.bytes[0], words.bytes[7]], [9, 3]);
  assert.notEqual(exec.native, 0n);
  assert.throws(() => graph.addCondition(raw.GS_CONDITION_IF, 0, 0), RangeError);
  assert.throws(() => graph.addSetCondition(s, node, condition), TypeError);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => exec.enable(last + 1000n, true));
  for (const one of [exec, graph, s, words, condition]) one.close();
});

test('workers that end leave no descriptors', () => {
  const text = `
    import { readdirSync, readlinkSync } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    const text = "const { Stream } = require('./build/dist/index.js'); const s = new Stream(); s.finished().then(() => s.close());";
    const one = () => new Promise((resolve) => new Worker(text, { eval: true, execArgv: [] }).once('exit', resolve));
    // Not counted: /proc/self/status, which a thread of the library opens for a moment, and the folder itself.
    const lasting = (fd) => {
      try { return !readlinkSync('/proc/self/fd/' + fd).startsWith('/proc/'); } catch { return false; }
    };
    const open = () => readdirSync('/proc/self/fd').filter(lasting).length;
    for (let i = 0; i < 2; ++i) await one();
    const before = open();
    for (let i = 0; i < 3; ++i) await one();
    console.log(open() - before);`;
  assert.equal(program(text.replaceAll('./build', `${process.cwd()}/build`)).trim(), '0');
});

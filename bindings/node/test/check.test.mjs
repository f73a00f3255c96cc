// SPDX-License-Identifier: Apache-2.0
// The ordering checker, names, and threads that may not wait.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { gpustream, here, program, refuses } from './support.mjs';

const { check, Event, Graph, HostBuffer, Stream } = gpustream;

/** What is reported while a function runs. */
function reportsOf(fn) {
  const found = [];
  check.onReport((text, report) => found.push({ text, report }));
  check.start();
  fn();
  check.stop();
  check.onReport(null);
  return found;
}

test('accesses that nothing orders are reported', () => {
  const [upload, compute, ready, memory] = [new Stream(), new Stream(), new Event(), new HostBuffer(64)];
  upload.setName('upload');
  compute.setName('compute');
  const reports = reportsOf(() => {
    check.write(memory, { stream: upload, label: 'copy in' });
    upload.record(ready);
    compute.waitEvent(ready);
    check.read(memory, { stream: compute, label: 'ordered' });
    check.write(memory, { stream: upload, bytes: 8, label: 'too early' });
  });
  assert.equal(reports.length, 1);
  const [{ text, report }] = reports;
  for (const part of ['upload', 'compute', 'ordered', 'too early']) assert.ok(text.includes(part), text);
  assert.deepEqual([report.earlier.label, report.later.label], ['ordered', 'too early']);
  for (const one of [upload, compute, ready, memory]) one.close();
});

test('nodes of graphs declare what they access', () => {
  const [stream, graph, memory] = [new Stream(), new Graph(), new HostBuffer(64)];
  const [first, second] = [graph.addEmpty(), graph.addEmpty()];
  const reports = reportsOf(() => {
    graph.checkWrite(first, memory, { label: 'producer' });
    graph.checkRead(second, memory, { bytes: 8, label: 'consumer' });
    refuses('GS_ERROR_INVALID_ARGUMENT', () => graph.checkRead(0n, memory));
    assert.throws(() => graph.checkWrite(first, memory, { bytes: 65 }), RangeError);
    const exec = graph.instantiate();
    exec.launch(stream);
    stream.synchronize();
    exec.close();
  });
  assert.equal(reports.length, 1);
  for (const part of ['producer', 'consumer']) assert.ok(reports[0].text.includes(part), reports[0].text);
  graph.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => graph.checkWrite(first, memory));
  for (const one of [stream, memory]) one.close();
});

test('reports come to the event loop, and at the latest at the exit', () => {
  const text = (end) => `
    import gs from '../index.mjs';
    const memory = new gs.HostBuffer(8);
    gs.check.onReport((text, report) => { console.log(report.later.label); ${end} });
    gs.check.start();
    gs.check.write(memory, { stream: new gs.Stream(), label: 'one' });
    gs.check.write(memory, { stream: new gs.Stream(), label: 'two' });`;
  assert.equal(program(`const keeping = setInterval(() => {}, 60_000); ${text('clearInterval(keeping);')}`), 'two\n');
  assert.equal(program(`${text('')} process.exit(0);`), 'two\n');
});

test('what the function throws is an uncaught exception', () => {
  const printed = program(`
    import gs from '../index.mjs';
    process.on('uncaughtException', (error) => { console.log(error.message); clearInterval(keeping); });
    const keeping = setInterval(() => {}, 60_000);
    gs.check.onReport(() => { throw new Error('in the report'); });
    gs.check.start();
    const memory = new gs.HostBuffer(8);
    for (const stream of [new gs.Stream(), new gs.Stream()]) gs.check.write(memory, { stream });`);
  assert.equal(printed.trim(), 'in the report');
});

test('a worker that ends takes its function with it', async () => {
  const worker = new Worker(`
    const gs = require(${JSON.stringify(path.join(here, '../build/dist/index.js'))});
    gs.check.onReport(() => {});
    require('node:worker_threads').parentPort.postMessage('set');`, { eval: true });
  await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  const [one, two, memory] = [new Stream(), new Stream(), new HostBuffer(8)];
  const reports = reportsOf(() => {
    check.write(memory, { stream: one, label: 'first' });
    check.write(memory, { stream: two, label: 'second' });
  });
  assert.deepEqual(reports.map(({ report }) => report.later.label), ['second']);
  for (const each of [one, two, memory]) each.close();
});

test('the function of a worker that ends is replaced', async () => {
  for (let round = 0; round < 10; ++round) {
    const worker = new Worker(`
      const gs = require(${JSON.stringify(path.join(here, '../build/dist/index.js'))});
      gs.check.onReport(() => {});
      require('node:worker_threads').parentPort.postMessage('set');`, { eval: true });
    const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
    await new Promise((resolve) => worker.once('message', resolve));
    check.onReport(() => {}); // while the worker ends
    await ended;
  }
  const [one, two, memory] = [new Stream(), new Stream(), new HostBuffer(8)];
  const reports = reportsOf(() => {
    for (const stream of [one, two]) check.write(memory, { stream });
  });
  assert.equal(reports.length, 1);
  for (const each of [one, two, memory]) each.close();
});

test('clocks hand over', () => {
  const [one, two, memory, clock] = [new Stream(), new Stream(), new HostBuffer(8), new check.Clock()];
  const reports = reportsOf(() => {
    check.write(memory, { stream: one });
    one.synchronize();
    clock.handover();
    assert.notEqual(new BigUint64Array(clock.buffer)[0], 0n);
    check.write(memory, { stream: two });
  });
  assert.deepEqual(reports, []);
  for (const each of [one, two, memory]) each.close();
});

test('bad input', () => {
  const [closed, memory] = [new Stream(), new HostBuffer(8)];
  closed.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => check.read(memory, { stream: closed }));
  refuses('GS_ERROR_INVALID_HANDLE', () => closed.setName('x'));
  assert.throws(() => check.read(memory, { stream: {} }), TypeError);
  assert.throws(() => check.write(memory, { bytes: 9 }), RangeError);
  assert.throws(() => check.onReport(7), TypeError);
  assert.throws(() => new check.Clock(new SharedArrayBuffer(4)), RangeError);
  const graph = new Graph();
  graph.setName('step');
  graph.setName(null);
  graph.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => graph.setName('x'));
  memory.close();
  assert.throws(() => check.read(memory), TypeError);
});

test('names are shown in errors', () => {
  const event = new Event();
  event.setName('uploaded');
  const stale = Event.fromHandle(event.handle);
  event.close();
  assert.throws(() => stale.synchronize(), /uploaded/);
});

test('waits are forbidden for a while', async () => {
  const stream = new Stream();
  check.forbidSync(() => {
    check.forbidSync(() => refuses('GS_ERROR_SYNC_FORBIDDEN', () => stream.synchronize()));
    refuses('GS_ERROR_SYNC_FORBIDDEN', () => stream.synchronize());
    assert.equal(typeof stream.query(), 'boolean');
  });
  assert.throws(() => check.forbidSync(() => { throw new Error('out'); }), /out/);
  assert.throws(() => check.forbidSync(async () => {}), TypeError);
  stream.synchronize();
  await stream.finished();
  stream.close();
});

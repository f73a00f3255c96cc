// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { gpustream, hold, program, refuses } from './support.mjs';

const { Device, Event, Stream, Timeline } = gpustream;

test('promises of streams and events', async () => {
  const [s, e] = [new Stream(), new Event()];
  const gate = hold(s);
  s.record(e);
  const order = [];
  const both = Promise.all([s.finished().then(() => order.push('stream')), e.finished().then(() => order.push('event'))]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, []);
  gate.open();
  await both;
  assert.equal(order.length, 2);
  await new Event().finished();
  s.close();
  await assert.rejects(s.finished(), { code: 'GS_ERROR_INVALID_HANDLE' });
});

test('an abort ends a wait and not the work', async () => {
  const s = new Stream();
  const gate = hold(s);
  const controller = new AbortController();
  const aborted = s.finished({ signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
  await assert.rejects(s.finished({ signal: controller.signal }), /enough/);
  await assert.rejects(s.finished({ signal: AbortSignal.timeout(1) }), { name: 'TimeoutError' });
  assert.equal(s.query(), false);
  gate.open();
  await s.finished();
  s.close();
});

test('many promises', async () => {
  const streams = Array.from({ length: 200 }, () => new Stream());
  await Promise.all(streams.map((s) => (s.sleep(100_000), s.finished())));
  assert.ok(streams.every((s) => s.query()));
  for (const s of streams) s.close();
});

test('notify calls in the event loop', async () => {
  const s = new Stream();
  assert.equal(await new Promise((resolve) => s.notify(resolve)), null);
  s.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => s.notify(() => assert.fail('was called')));
});

test('what waits is refused in what notify calls', async () => {
  const [s, e, timeline, refused] = [new Stream(), new Event(), new Timeline(), []];
  e.record(s);
  const calls = [() => s.synchronize(), () => e.synchronize(), () => timeline.synchronize(1n), () => new Stream(), () => Device.current().synchronize()];
  await new Promise((resolve) => s.notify(() => {
    for (const call of calls) {
      try {
        call();
      } catch (error) {
        refused.push(error.code);
      }
    }
    resolve();
  }));
  assert.deepEqual(refused, calls.map(() => 'GS_ERROR_NOT_PERMITTED'));
  s.synchronize(); // it was for the call only
  for (const one of [s, e, timeline]) one.close();
});

test('scopes of interleaved tasks do not end each other', async () => {
  const [a, b] = [new Stream(), new Stream()];
  const first = a.enter();
  const other = Promise.resolve().then(() => b.enter());
  const inner = await other;
  refuses('GS_ERROR_SCOPE', () => first.close());
  inner.close();
  first.close();
  a.close();
  b.close();
});

test('a pending promise keeps the process alive, an ended one does not', () => {
  const text = `import { Stream } from '../index.mjs';
    const s = new Stream(); s.sleep(20_000_000); s.finished().then(() => console.log('finished'));`;
  assert.equal(program(text).trim(), 'finished');
});

test('what a notification throws is an uncaught exception', () => {
  const text = `import { Stream } from '../index.mjs';
    process.on('uncaughtException', (error) => console.log('caught', error.message));
    new Stream().notify(() => { throw new Error('in it'); });`;
  assert.equal(program(text).trim(), 'caught in it');
});

test('workers have their own current stream and event loop', async () => {
  const text = `
    const { parentPort } = require('node:worker_threads');
    const { Device, Stream } = require('./build/dist/index.js');
    const s = new Stream({ device: new Device(1) });
    const scope = s.enter();
    s.sleep(1_000_000);
    s.finished().then(() => parentPort.postMessage({ device: Device.current().number, handle: s.handle, same: Stream.current().equals(s) }));`;
  const before = gpustream.Device.current().number;
  const workers = await Promise.all(Array.from({ length: 4 }, () => new Promise((resolve, reject) => {
    const worker = new Worker(text, { eval: true, argv: [], execArgv: [] });
    worker.once('message', (message) => resolve({ worker, message }));
    worker.once('error', reject);
  })));
  for (const { worker, message } of workers) {
    assert.deepEqual([message.device, message.same], [1, true]);
    const same = Stream.fromHandle(message.handle); // another thread's stream can be used, and closed, here
    same.synchronize();
    await worker.terminate();
    same.close();
  }
  assert.equal(gpustream.Device.current().number, before);
});

test('workers end with promises pending', async () => {
  const text = `
    const { parentPort } = require('node:worker_threads');
    const { Stream } = require('./build/dist/index.js');
    const s = new Stream();
    s.sleep(1n << 40n); // longer than the test
    s.finished().then(() => {}, () => {});
    parentPort.postMessage('ready');`;
  const worker = new Worker(text, { eval: true });
  await new Promise((resolve) => worker.once('message', resolve));
  assert.equal(await worker.terminate(), 1);
});

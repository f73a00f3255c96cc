// SPDX-License-Identifier: Apache-2.0
// Partitions: what they have, what is refused, their ends, and that a stream in one is a stream like any other.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, refuses } from './support.mjs';

const { Device, Partition, Stream } = gpustream;

// The smallest partition, and how many of them the current device can be divided into.
const first = new Partition(1);
const smallest = first.info();
first.close();
const unit = smallest.unitSmCount;
const units = Math.floor(smallest.deviceSmCount / unit);

test('partitions report what they have', () => {
  const part = new Partition(1);
  const info = part.info();
  assert.deepEqual([info.requestedSmCount, info.smCount, info.streams], [1, unit, 0n], 'rounded up to one unit');
  assert.ok(info.deviceSmCount >= info.smCount);
  assert.equal(info.native === 0n, process.env.GPUSTREAM_BACKEND === 'host');
  const streams = [part.createStream(), part.createStream()];
  assert.equal(streams[0].device.number, info.device);
  assert.equal(part.info().streams, 2n);
  for (const one of streams) one.close();
  assert.equal(part.info().streams, 0n);
  part.close();
});

test('several partitions at once, or none', () => {
  const counts = [unit, 1, 1].slice(0, units);
  const parts = Partition.split(new Uint32Array(counts), { device: Device.CURRENT, exact: unit === 1, fine: true });
  assert.deepEqual(parts.map((part) => part.info().requestedSmCount), counts);
  for (const part of parts) {
    part[Symbol.dispose]();
    assert.ok(part.closed);
  }
});

test('a plan, and numbers that are options', () => {
  const plan = new Partition(1, { plan: true });
  assert.deepEqual([plan.info().smCount, plan.info().native], [unit, 0n]);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => plan.createStream());
  plan.close();
  for (const wrong of [{ coscheduled: 0 }, { coscheduled: 256 }, { concurrency: 1.5 }, { concurrency: 32768 }])
    assert.throws(() => new Partition(1, wrong), RangeError);
  if (process.env.GPUSTREAM_BACKEND !== 'host' || smallest.deviceSmCount < 2) return;
  const pair = new Partition(1, { queues: true, coscheduled: 2, concurrency: 4 });
  assert.equal(pair.info().smCount, 2);
  pair.close();
});

test('what is wrong is refused', () => {
  for (const counts of [[], [1, 0]]) refuses('GS_ERROR_INVALID_ARGUMENT', () => Partition.split(counts));
  refuses('GS_ERROR_INVALID_ARGUMENT', () => new Partition(0));
  refuses('GS_ERROR_INVALID_DEVICE', () => new Partition(1, { device: new Device(99) }));
  for (const count of [-1, 1.5, NaN, Infinity, 2 ** 32]) assert.throws(() => new Partition(count), RangeError);
  for (const count of ['1', 1n, null, undefined]) assert.throws(() => new Partition(count), TypeError);
  for (const counts of [1, null, undefined, '12']) assert.throws(() => Partition.split(counts), TypeError);
  const part = new Partition(1);
  assert.throws(() => part.createStream({ blocking: true }), /there is no option blocking/);
  assert.throws(() => part.createStream({ shared: true }), /there is no option shared/);
  assert.throws(() => part.createStream({ device: new Device(0) }), TypeError);
  assert.throws(() => part.createStream({ priority: 'urgent' }), TypeError);
  assert.equal(part.info().streams, 0n);
  part.close();
});

test('a stream of a partition is a Stream', async () => {
  const part = new Partition(1);
  const s = part.createStream({ priority: 'high', dedicated: true });
  assert.ok(s instanceof Stream);
  assert.equal(s.priority, Device.CURRENT.priorityRange().greatest);
  await s.finished();
  for (const one of [part, s]) one.close();
});

test('partitions end before their streams', () => {
  const part = new Partition(1);
  const ended = Partition.fromHandle(part.handle);
  const s = part.createStream();
  part.close();
  part.close();
  const done = s.record();
  s.synchronize();
  assert.ok(done.query(), 'it works on');
  for (const one of [part, ended]) {
    refuses('GS_ERROR_INVALID_HANDLE', () => one.info());
    refuses('GS_ERROR_INVALID_HANDLE', () => one.createStream());
  }
  refuses('GS_ERROR_INVALID_HANDLE', () => ended.close());
  refuses('GS_ERROR_INVALID_HANDLE', () => Partition.fromHandle(s.handle).info());
  assert.throws(() => Partition.fromHandle(1), TypeError);
  s.close();
  done.close();
});

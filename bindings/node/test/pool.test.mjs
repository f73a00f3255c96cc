// SPDX-License-Identifier: Apache-2.0
// Pools, and the random state of a device.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, hold, refuses } from './support.mjs';

const { Device, Pool, random, raw, Stream } = gpustream;

test('a pool has a limit and statistics', () => {
  const [pool, s] = [new Pool({ limit: 1 << 20 }), new Stream()];
  const first = pool.malloc(700_000, s);
  assert.equal(first.length, 700_000);
  refuses('GS_ERROR_OUT_OF_MEMORY', () => pool.malloc(700_000, s));
  const { limitBytes, requestedBytes, blocks, outOfMemory } = pool.stats();
  assert.deepEqual([limitBytes, requestedBytes, blocks, outOfMemory], [1n << 20n, 700_000n, 1n, 1n]);
  first.close();
  s.synchronize();
  pool.resetPeak();
  pool.trim();
  assert.deepEqual([pool.stats().allocatedPeakBytes, pool.stats().cachedBytes], [0n, 0n]);
  pool.setLimit(0);
  pool.malloc(2_000_000, s).close();
  for (const one of [pool, s]) one.close();
});

test('a pool is current on its thread', () => {
  const [pool, s, usual] = [new Pool({ device: new Device(0) }), new Stream({ device: new Device(0) }), Pool.default(new Device(0))];
  pool.makeCurrent();
  const now = Pool.current(new Device(0));
  assert.equal(now.handle, pool.handle);
  now.close();
  s.malloc(512).close();
  assert.equal(pool.stats().allocations, 1n);
  usual.makeCurrent();
  const after = Pool.current(new Device(0));
  assert.notEqual(after.handle, pool.handle);
  for (const one of [after, usual, usual, pool, s]) one.close();
});

test('memory of the current stream is freed on that one', () => {
  const [pool, s] = [new Pool(), new Stream()];
  const [first, second] = s.run(() => [Stream.CURRENT.malloc(64), pool.malloc(64, Stream.CURRENT)]);
  assert.equal(pool.stats().requestedBytes, 64n);
  s.fill(first, 1);
  s.fill(second, 1);
  for (const memory of [first, second]) memory.close();
  s.synchronize();
  assert.equal(pool.stats().requestedBytes, 0n);
  for (const one of [pool, s]) one.close();
});

test('memory outlives its pool, and what is wrong is refused', () => {
  const [pool, s] = [new Pool(), new Stream()];
  const memory = pool.malloc(64, s);
  const dead = pool.handle;
  pool.close();
  pool.close();
  s.fill(memory, 1);
  memory.close();
  s.synchronize();
  for (const closed of [pool, Pool.fromHandle(dead)]) {
    refuses('GS_ERROR_INVALID_HANDLE', () => closed.stats());
    refuses('GS_ERROR_INVALID_HANDLE', () => closed.malloc(64, s));
    refuses('GS_ERROR_INVALID_HANDLE', () => closed.makeCurrent());
  }
  refuses('GS_ERROR_INVALID_ARGUMENT', () => new Pool({ flags: 1 << 30 }));
  for (const limit of [2n ** 64n, 2 ** 64, -1, 1.5]) assert.throws(() => new Pool({ limit }), RangeError);
  for (const flags of [2 ** 32, -1]) assert.throws(() => new Pool({ flags }), RangeError);
  assert.throws(() => Pool.default().malloc(64, 'a stream'), TypeError);
  assert.throws(() => Pool.default().setLimit('much'), SyntaxError);
  s.close();
});

test('memory of several streams is freed after all of them', () => {
  const [one, other] = [new Stream(), new Stream()];
  const gate = hold(other);
  const memory = one.malloc(1024);
  refuses('GS_ERROR_INVALID_HANDLE', () => memory.closeAfter(one, new gpustream.Event()));
  assert.throws(() => memory.closeAfter(), TypeError);
  assert.throws(() => memory.closeAfter(one, null), TypeError);
  assert.equal(memory.closed, false);
  memory.closeAfter(one, other);
  assert.equal(memory.address, 0n);
  memory.close();
  assert.throws(() => memory.closeAfter(one), TypeError);
  one.synchronize(); // it does not wait for the other
  gate.open();
  other.synchronize();
  for (const stream of [one, other]) stream.close();
});

test('the random state is set, read and reserved', () => {
  const [device, s] = [new Device(0), new Stream({ device: new Device(0) })];
  random.seed(11n, device);
  const { captured, seed, offset } = random.reserve(5n, s);
  assert.deepEqual([captured, seed, offset], [0, 11n, 0n]);
  assert.deepEqual(random.getState(device), { seed: 11n, offset: 8n }, 'rounded up to a multiple of 4');
  random.setState({ seed: 2n ** 64n - 1n, offset: 400n }, device);
  assert.deepEqual(random.getState(device), { seed: 2n ** 64n - 1n, offset: 400n });
  assert.equal(random.reserve(1n, s).offset, 400n);
  refuses('GS_ERROR_INVALID_ARGUMENT', () => random.setState({ seed: 1n, offset: 2n }, device));
  assert.throws(() => random.reserve(1n, null), TypeError);
  assert.throws(() => random.seed('chance'), TypeError);
  assert.equal(raw.gs_philox_t.size, 48);
  s.close();
});

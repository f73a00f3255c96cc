// SPDX-License-Identifier: Apache-2.0
// Pools of streams, and tokens.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, hold, refuses } from './support.mjs';

const { Device, raw, Stream, StreamPool, Token } = gpustream;

test('streams by index and in turn', () => {
  const pool = new StreamPool(3, { device: new Device(1), priority: -1 });
  const all = [...pool];
  assert.equal(pool.size, 3);
  assert.equal(new Set(all.map((stream) => stream.handle)).size, 3, 'none is given twice');
  for (const stream of all) assert.deepEqual([stream.device.number, stream.priority], [1, -1]);
  assert.deepEqual([0, 3, -1, -3, -4].map((index) => all.indexOf(pool.at(index))), [0, 0, 2, 0, 2]);
  for (let turn = 0; turn < 7; ++turn) assert.equal(pool.next(), pool.at(turn));
  const borrowed = Stream.fromHandle(all[0].handle);
  pool.close();
  pool.close();
  refuses('GS_ERROR_INVALID_HANDLE', () => borrowed.synchronize());
  refuses('GS_ERROR_INVALID_HANDLE', () => pool.next().synchronize());
  const other = new StreamPool(1);
  other[Symbol.dispose]();
  assert.ok(other.at(0).closed);
});

test('all streams of a pool or none', () => {
  for (const size of [0, -1, 1.5, NaN, Infinity]) assert.throws(() => new StreamPool(size), RangeError);
  for (const size of ['2', 2n, null, undefined]) assert.throws(() => new StreamPool(size), TypeError);
  const before = gpustream.stats();
  refuses('GS_ERROR_INVALID_DEVICE', () => new StreamPool(2, { device: new Device(99) }));
  refuses('GS_ERROR_INVALID_ARGUMENT', () => new StreamPool(2, { shared: true, dedicated: true }));
  assert.equal(gpustream.stats().streamsCreated, before.streamsCreated);
  const pool = new StreamPool(2);
  assert.throws(() => pool.at(0.5), RangeError);
  assert.throws(() => pool.at('0'), TypeError);
  pool.close();
});

function thirdFails() {
  const [{ native }, driver] = [gpustream, process.env.GPUSTREAM_LIBCUDA];
  const fake = (name, argument) => native.invoke(native.symbol(driver, `fake_cuda_${name}`), argument);
  const [made, ended] = [Buffer.from('cuStreamCreateWithPriority\0'), Buffer.from('cuStreamDestroy_v2\0')];
  // Dedicated streams are made and ended by the driver each.
  new Stream({ dedicated: true }).close();
  gpustream.trim();
  const before = fake('calls', ended);
  const fault = new DataView(new ArrayBuffer(40));
  fault.setBigUint64(0, native.addressOf(made), true);
  fault.setBigUint64(8, 3n, true);
  fault.setInt32(24, 2, true); // out of memory
  fault.setInt32(36, -1, true);
  fake('inject', fault);
  refuses('GS_ERROR_OUT_OF_MEMORY', () => new StreamPool(4, { dedicated: true }));
  fake('clear_fault');
  gpustream.trim();
  assert.equal(fake('calls', ended) - before, 2n);
}
// Only the fake driver fails on request.
if (process.env.GPUSTREAM_BACKEND === 'cuda') test('a pool whose third stream fails ends the first two', thirdFails);

test('tokens are data, and what is wrong is refused', () => {
  const [s, closed] = [new Stream(), new Stream()];
  closed.close();
  const token = new Token(s);
  const again = new Token(token.bytes);
  assert.deepEqual(again.bytes, token.bytes);
  token.bytes.fill(0);
  assert.deepEqual(again.bytes, token.bytes, 'bytes is a copy');
  const gate = hold(s);
  const late = new Token(s);
  assert.equal(late.query(), false);
  gate.open();
  again.wait(s);
  s.synchronize();
  refuses('GS_ERROR_INVALID_HANDLE', () => new Token(closed));
  refuses('GS_ERROR_INVALID_HANDLE', () => token.wait(closed));
  const nothing = new Token(new Uint8Array(raw.gs_token_t.size));
  refuses('GS_ERROR_INVALID_ARGUMENT', () => nothing.query());
  refuses('GS_ERROR_INVALID_ARGUMENT', () => nothing.wait(s));
  assert.throws(() => new Token(new Uint8Array(127)), RangeError);
  for (const wrong of [undefined, null, 'token', 1n]) assert.throws(() => new Token(wrong), TypeError);
  assert.throws(() => token.wait(token), TypeError);
  s.close();
});

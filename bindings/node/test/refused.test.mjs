// SPDX-License-Identifier: Apache-2.0
// Arguments that would be cut, or would reach memory that is not there.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, onHost, parityNative, program } from './support.mjs';

const { Graph, HostBuffer, Module, native, Pool, Stream, Timeline } = gpustream;

test('closed memory is no argument of a kernel', () => {
  const [stream, module, graph] = [new Stream({ device: onHost }), new Module(parityNative, onHost), new Graph(onHost)];
  const [kernel, host, device] = [module.kernel('parity_scale'), new HostBuffer(48), stream.malloc(48)];
  host.close();
  device.close();
  for (const memory of [host, device]) {
    assert.throws(() => stream.launch(kernel, {}, memory, { u32: 5 }), /the memory is closed/);
    assert.throws(() => graph.addKernel(kernel, {}, [memory, { u32: 5 }]), /the memory is closed/);
  }
  stream.synchronize();
  for (const one of [graph, module, stream]) one.close();
});

test('arguments of kernels keep their values', () => {
  const [stream, module, out] = [new Stream({ device: onHost }), new Module(parityNative, onHost), new HostBuffer(4)];
  const kernel = module.kernel('parity_scale');
  for (const wrong of [{ u32: 2 ** 32 }, { u32: -1 }, { i32: 2 ** 31 }, { u32: 1.5 }, { u64: 2n ** 64n }, { u64: -1n }, { i64: 2n ** 63n }])
    assert.throws(() => stream.launch(kernel, {}, out, wrong), RangeError, Object.keys(wrong)[0]);
  assert.throws(() => stream.launch(kernel, {}, out, { u32: undefined }), TypeError);
  stream.launch(kernel, {}, out, { u32: 2 ** 32 - 1 });
  stream.synchronize();
  assert.throws(() => new Module(new Uint8Array(0), onHost), /is empty/);
  assert.throws(() => new Module(`${parityNative}\0.old`, onHost), /has a NUL/);
  for (const one of [out, module, stream]) one.close();
});

test('numbers of 64 bits keep their sign', () => {
  const [stream, timeline, pool] = [new Stream(), new Timeline(), new Pool()];
  for (const fn of [() => stream.sleep(-1), () => stream.sleep(-1n), () => timeline.set(-1n), () => timeline.set(2n ** 64n), () => pool.setLimit(-1)])
    assert.throws(fn, /out of range/);
  assert.throws(() => native.gs_timeline_synchronize(timeline.handle, 1n, 2n ** 63n), /out of range/);
  assert.equal(timeline.value, 0n);
  timeline.set(2n ** 62n);
  assert.equal(timeline.value, 2n ** 62n);
  for (const limit of [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Infinity]) {
    stream.synchronize(limit);
    timeline.synchronize(1n, limit);
  }
  for (const one of [pool, timeline, stream]) one.close();
});

test('a native function is called with addresses only', () => {
  const strlen = native.symbol(null, 'strlen');
  for (const wrong of [[strlen, 'text'], [strlen, 1], [0n], [null]]) assert.throws(() => native.invoke(...wrong), TypeError);
  assert.equal(native.invoke(strlen, Buffer.from('text\0')), 4n);
  const stream = new Stream();
  for (const wrong of [Buffer.from('text\0'), 1, 'text']) assert.throws(() => stream.launchHost(strlen, wrong), TypeError);
  stream.close();
});

// Node 20 has no transfer(), and its structuredClone() copies such memory.
if (ArrayBuffer.prototype.transfer) {
  test('memory whose ArrayBuffer was transferred is not freed under it', () => {
    const host = new HostBuffer(64);
    host.bytes[7] = 9;
    const other = host.buffer.transfer();
    assert.throws(() => host.close(), /another ArrayBuffer has the memory/);
    assert.ok(!host.closed);
    assert.equal(new Uint8Array(other)[7], 9);
  });
}

test('a runtime without ArrayBuffers over foreign memory leaks none', () => {
  const { memory, gs_free_host: free } = native;
  let freed = 0;
  try {
    native.memory = () => { throw new Error('none'); };
    native.gs_free_host = (address) => (++freed, free(address));
    assert.throws(() => new HostBuffer(8), /none/);
  } finally {
    Object.assign(native, { memory, gs_free_host: free });
  }
  assert.equal(freed, 1);
});

test('a record that fails leaves no event, and what needs no close is no leak', () => {
  const text = `
    import gs from '../index.mjs';
    const told = [];
    gs.onLeak((kind) => told.push(kind));
    const stream = new gs.Stream();
    stream.close();
    try { stream.record(); } catch (error) { console.log(error.code); }
    (() => [gs.Stream.default(), gs.Pool.default(), new gs.Event()])();
    const graph = new gs.Graph();
    (() => graph.addCondition(gs.raw.GS_CONDITION_IF, 0, 2))();
    graph.close();
    for (let i = 0; i < 20; ++i) { globalThis.gc(); await new Promise((resolve) => setImmediate(resolve)); }
    console.log(told.join());`;
  assert.equal(program(text, { args: ['--expose-gc'] }).trim(), 'GS_ERROR_INVALID_HANDLE\nevent');
});

// SPDX-License-Identifier: Apache-2.0
// Runs one case of a file of parity cases: node run.mjs FILE NAME NATIVE_LIBRARY. Steps of a thread run in a worker.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads';
import gpustream from '../../index.mjs';
import { call } from './call.mjs';
import { check, resolve } from './values.mjs';

const { native, makeStruct, raw, readField } = gpustream;
const PATIENCE = 60_000; // bounds the repetitions of "until"
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..');
const described = new Map(JSON.parse(readFileSync(path.join(root, 'api/gpustream.json'), 'utf8')).functions.map((one) => [one.name, one]));

class Runner {
  constructor(library, names) {
    this.library = library;
    this.names = names;
  }

  steps(steps) {
    steps.forEach((step, i) => {
      try {
        this.step(step);
      } catch (error) {
        throw new Error(`step ${i + 1}${step.op ? ` (${step.op})` : ''}: ${error.message}`, { cause: error });
      }
    });
  }

  step(step) {
    if (step.thread) return this.inWorker(step.thread);
    // V8 keeps its heap out of forked children (MADV_DONTFORK): no JavaScript runs there.
    if (step.fork) return undefined;
    if (step.repeat) {
      for (let i = 0; i < step.repeat; ++i) this.steps(step.steps);
      return undefined;
    }
    for (const deadline = Date.now() + PATIENCE; ; ) {
      const found = this.perform(step);
      try {
        return this.judge(step, found);
      } catch (error) {
        if (!step.until || Date.now() > deadline) throw error;
      }
    }
  }

  perform(step) {
    if (step.op.includes('.')) return { outputs: [this.own(step.op, (step.args ?? []).map((word) => resolve(this.names, word)))] };
    const one = described.get(step.op);
    if (!one) throw new Error(`no operation ${step.op}`);
    return call(this.names, this.library, one, step);
  }

  own(name, inputs) {
    const invoke = (symbol, argument = null) => ({ bits: native.invoke(native.symbol(this.library, symbol), argument) });
    switch (name) {
      case 'gate.new':
        return invoke('parity_gate_new');
      case 'gate.open':
        return invoke('parity_gate_open', inputs[0].bits);
      case 'counter.new':
        return invoke('parity_counter_new');
      case 'counter.get':
        return invoke('parity_counter_get', inputs[0].bits);
      case 'counter.function':
        return { bits: native.symbol(this.library, 'parity_count') };
      case 'buffer.u32': {
        const copy = new Uint32Array(1);
        native.invoke(native.symbol(null, 'memcpy'), copy, inputs[0].bits + 4n * inputs[1].bits, 4n);
        return { bits: BigInt(copy[0]) };
      }
      case 'triple.new':
        return { what: 'gs_stream_triple_t', bytes: makeStruct(raw.gs_stream_triple_t, { id: inputs[0].bits, device_index: inputs[1].bits, device_type: inputs[2].bits }) };
      case 'ipc.new':
        return { what: 'gs_ipc_handle_t', bytes: new Uint8Array(raw.gs_ipc_handle_t.size).fill(Number(inputs[0].bits)) };
      default:
        throw new Error(`no operation ${name}`);
    }
  }

  judge(step, { status, returned, outputs }) {
    if (status !== undefined) {
      const [found, wanted] = [native.gs_status_name(status), step.expect ?? 'GS_OK'];
      if (found !== wanted) throw new Error(`status is ${found}, wanted ${wanted}${status === 0 ? '' : `: ${lastMessage()}`}`);
    }
    if ('returns' in step) {
      if (status !== undefined) throw new Error('the function returns a status');
      check(this.names, step.returns, returned, 'the result');
    }
    if ('value' in step) {
      const wanted = Array.isArray(step.value) ? step.value : [step.value];
      if (wanted.length !== outputs.length) throw new Error(`${outputs.length} outputs, but ${wanted.length} expected values`);
      wanted.forEach((one, i) => check(this.names, one, outputs[i], `output ${i + 1}`));
    }
    step.out?.forEach((name, i) => name !== null && this.names.set(name, outputs[i]));
  }

  inWorker(steps) {
    const { port1, port2 } = new MessageChannel();
    const ended = new Int32Array(new SharedArrayBuffer(4));
    const data = { steps, library: this.library, names: this.names, port: port2, ended };
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: data, transferList: [port2] });
    worker.unref();
    Atomics.wait(ended, 0, 0);
    const { message } = receiveMessageOnPort(port1);
    port1.close();
    if (message.failed) throw new Error(message.failed);
    this.names = message.names;
  }
}

function lastMessage() {
  const bytes = makeStruct(raw.gs_error_info_t);
  native.gs_last_error(bytes);
  return readField(raw.gs_error_info_t, bytes, 'message');
}

if (workerData?.steps) {
  const { steps, library, names, port, ended } = workerData;
  const runner = new Runner(library, names);
  let failed;
  try {
    runner.steps(steps);
  } catch (error) {
    failed = error.message;
  }
  port.postMessage({ failed, names: runner.names });
  Atomics.store(ended, 0, 1);
  Atomics.notify(ended, 0);
} else {
  const [file, name, library] = process.argv.slice(2);
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const names = new Map([['native', { text: library }]]);
  for (const [constant, word] of Object.entries(document.constants)) names.set(`#${constant}`, resolve(new Map(), word));
  new Runner(library, names).steps(document.cases.find((one) => one.name === name).steps);
}

// SPDX-License-Identifier: Apache-2.0
// Drives a file through a device in chunks (copy-in, a kernel that computes CRC-32 and byte histogram, copy-out) on several
// streams, ordered by events, and checks the result against a sequential pass.
//
//   node examples/pipeline/main.mjs FILE --kernels PATH [--streams N] [--chunk BYTES]
//
// The kernel is that of examples/pipeline in the repository: pipeline_kernels.so for the host backend, kernels.ptx for CUDA.
// Exit status: 0 the result is right, 1 it is wrong, 2 a call failed.
import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Device, Module } from '../../index.mjs';
import { Digest } from './digest.mjs';
import { Lane } from './lane.mjs';

function options() {
  const usage = 'usage: main.mjs FILE --kernels PATH [--streams 1..64] [--chunk BYTES]';
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { streams: text, chunk: text, kernels: text } });
  const [streams, chunk] = [Number(values.streams ?? 6), Number(values.chunk ?? 4 << 20)];
  const inside = (n, most) => Number.isInteger(n) && n >= 1 && n <= most;
  if (positionals.length !== 1 || !values.kernels || !inside(streams, 64) || !inside(chunk, 2 ** 30)) throw new Error(usage);
  return { file: positionals[0], kernels: values.kernels, streams, chunk };
}

async function sequentialPass(file, length) {
  const [digest, buffer] = [new Digest(), new Uint8Array(1 << 20)];
  while (digest.bytes < length) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - digest.bytes), digest.bytes);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    digest.update(buffer.subarray(0, bytesRead));
  }
  return digest;
}

async function pipeline({ kernels, streams, chunk }, file, length) {
  const module = new Module(kernels, new Device(0));
  const kernel = module.kernel('crc_and_histogram');
  const [result, size, lanes] = [new Digest(length), Math.min(chunk, length), Math.ceil(streams / 3)];
  let next = 0;
  const work = async (index) => {
    const lane = new Lane(kernel, Math.floor(streams / lanes) + (index < streams % lanes ? 1 : 0), size);
    try {
      while (next < length) {
        const offset = next;
        next += size;
        await lane.process(file, offset, Math.min(size, length - offset), result);
      }
      await lane.finish(result);
    } finally {
      lane.close();
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, (_, index) => work(index)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  module.close();
  return result;
}

async function run() {
  const chosen = options();
  const file = await open(chosen.file);
  try {
    const length = (await file.stat()).size;
    if (length === 0) throw new Error('the file is empty');
    const expected = await sequentialPass(file, length);
    const start = performance.now();
    const found = await pipeline(chosen, file, length);
    const seconds = (performance.now() - start) / 1000;
    console.log(`${chosen.streams} streams on ${new Device(0).info().name}`);
    console.log(`${seconds.toFixed(3)} s, ${(length / seconds / 1e9).toFixed(2)} GB/s`);
    const crc = (digest) => digest.crc32.toString(16).padStart(8, '0');
    if (!found.equals(expected)) {
      console.error(`the result is wrong: CRC-32 ${crc(found)}, wanted ${crc(expected)}`);
      return 1;
    }
    console.log(`CRC-32 ${crc(found)} and histogram agree with a sequential pass over ${length} bytes`);
    return 0;
  } finally {
    await file.close();
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(`pipeline: ${error.message}`);
  process.exitCode = 2;
}

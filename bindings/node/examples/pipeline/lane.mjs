// SPDX-License-Identifier: Apache-2.0
// A task and its streams: copy-in, kernel and copy-out overlap and are ordered by events alone.
import { Device, Event, HostBuffer, Stream } from '../../index.mjs';
import { BINS, SLICE, THREADS } from './digest.mjs';

const resultBytes = (chunk) => 4 * (BINS + Math.ceil(chunk / SLICE));

export class Lane {
  #streams;
  #kernel;
  #slots = []; // one chunk is read and copied in while another is computed
  #next = 0;

  constructor(kernel, streams, chunk) {
    this.#kernel = kernel;
    this.#streams = Array.from({ length: streams }, () => new Stream({ device: new Device(0) }));
    const owner = this.#stream(1);
    for (let i = 0; i < 2; ++i) {
      this.#slots.push({
        input: new HostBuffer(chunk), result: new HostBuffer(resultBytes(chunk)),
        deviceInput: owner.malloc(chunk), deviceResult: owner.malloc(resultBytes(chunk)),
        copiedIn: new Event({ blocking: true }), computed: new Event(), copiedOut: new Event({ blocking: true }), bytes: 0,
      });
    }
  }

  #stream(stage) {
    return this.#streams[stage % this.#streams.length];
  }

  /** Reads a chunk and submits its stages. Waits only for the chunk whose buffers it reuses. */
  async process(file, offset, bytes, digest) {
    const slot = this.#slots[this.#next++ % 2];
    await this.#deliver(slot, digest); // has waited for the slot's last use: its buffers are idle
    const { bytesRead } = await file.read(slot.input.bytes, 0, bytes, offset);
    if (bytesRead !== bytes) throw new Error('the file has become shorter');
    const [read, compute, write] = [this.#stream(0), this.#stream(1), this.#stream(2)];
    read.copy(slot.deviceInput, slot.input, bytes);
    compute.waitEvent(read.record(slot.copiedIn));
    compute.fill(slot.deviceResult, 0, 4 * BINS);
    // No other task runs inside: the stream is current for this call alone.
    compute.run(() => Stream.CURRENT.launch(this.#kernel, { grid: Math.ceil(bytes / SLICE), block: THREADS }, slot.deviceInput, { u32: bytes }, slot.deviceResult));
    write.waitEvent(compute.record(slot.computed));
    write.copy(slot.result, slot.deviceResult, resultBytes(bytes));
    write.record(slot.copiedOut);
    Object.assign(slot, { offset, bytes });
  }

  async #deliver(slot, digest) {
    if (slot.bytes === 0) return;
    await slot.copiedOut.finished();
    digest.place(slot.offset, slot.bytes, new Uint32Array(slot.result.buffer, 0, resultBytes(slot.bytes) / 4));
    slot.bytes = 0;
  }

  async finish(digest) {
    for (const slot of this.#slots) await this.#deliver(slot, digest);
  }

  /** After a failure work may be pending on buffers that are about to be freed. */
  close() {
    for (const stream of this.#streams) stream.synchronize();
    for (const { input, result, deviceInput, deviceResult, copiedIn, computed, copiedOut } of this.#slots) {
      for (const one of [input, result, deviceInput, deviceResult, copiedIn, computed, copiedOut]) one.close();
    }
    for (const stream of this.#streams) stream.close();
  }
}

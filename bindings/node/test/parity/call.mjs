// SPDX-License-Identifier: Apache-2.0
// Calls a function of the addon by its C name with the arguments of a step.
import gpustream from '../../index.mjs';
import { resolve, structOf } from './values.mjs';

const { native, raw } = gpustream;
const MOST_ELEMENTS = 4096;
const NUMBERS = new Set(['int32_t', 'uint32_t', 'gs_status_t', 'gs_device_t', 'gs_backend_t', 'double']);

/** The elements of an array or struct that goes in; null for null. */
function elements(names, one, word) {
  if (word === null) return null;
  const pieces = (Array.isArray(word) ? word : [word]).map((each) => {
    if (typeof each === 'object' && each !== null) return structOf(names, one.struct, each);
    const value = resolve(names, each);
    if (!one.struct) return Buffer.from(BigUint64Array.of(value.bits).buffer);
    if (value.bytes?.length !== raw[one.struct].size) throw new Error(`${one.struct} is wanted`);
    return value.bytes;
  });
  return Buffer.concat([...pieces, Buffer.alloc(1)]); // an empty list is an address too
}

/** [["u32", 3], ["pointer", "$p"]]: the values and an array with their addresses. */
function kernelArguments(names, kept, list) {
  const values = BigUint64Array.from(list.map(([, word]) => resolve(names, word).bits));
  kept.push(values);
  return BigUint64Array.from([...list.map((_, i) => native.addressOf(values) + BigInt(8 * i)), 0n]);
}

/** An integer, as the type of the parameter wants it. */
function scalar(type, bits) {
  if (type === 'int64_t') return BigInt.asIntN(64, bits);
  if (!NUMBERS.has(type)) return bits;
  return type === 'uint32_t' ? Number(BigInt.asUintN(32, bits)) : Number(BigInt.asIntN(32, bits));
}

function input(names, kept, library, one, word) {
  if (one.callback) return word === null ? null : native.symbol(library, word);
  if (one.type === 'void **') return kernelArguments(names, kept, word);
  if (one.type === 'const char *') return word === null ? null : resolve(names, word).text;
  if (one.type === 'void *' || one.type === 'const void *') {
    const value = resolve(names, word);
    return value.text === undefined ? value.bits : Buffer.from(`${value.text}\0`); // also a path
  }
  if (one.type.endsWith('*')) return elements(names, one, word);
  return scalar(one.type, resolve(names, word).bits);
}

/** Room for an output: a struct, or elements of eight bytes. */
function room(one, count) {
  const size = one.struct ? raw[one.struct].size : 8;
  const bytes = Buffer.alloc(size * count);
  if (one.struct && raw[one.struct].sized) bytes.writeUInt32LE(size, 0);
  return bytes;
}

function valueOf(one, bytes) {
  if (one.struct) return { bytes: Uint8Array.from(bytes), what: one.struct };
  const base = one.type.replace(/^const /, '').replace(/ ?\*$/, '').trim();
  if (one.type === 'const char **') {
    const address = bytes.readBigUInt64LE();
    return { text: address === 0n ? '' : textAt(address) };
  }
  if (base === 'double') return { real: bytes.readDoubleLE() };
  if (base === 'uint32_t') return { bits: BigInt(bytes.readUInt32LE()) };
  return { bits: BigInt.asUintN(64, NUMBERS.has(base) ? BigInt(bytes.readInt32LE()) : bytes.readBigUInt64LE()) };
}

function textAt(address) {
  const length = Number(native.invoke(native.symbol(null, 'strlen'), address));
  const copy = Buffer.alloc(length + 1);
  native.invoke(native.symbol(null, 'memcpy'), copy, address, BigInt(length));
  return copy.toString('utf8', 0, length);
}

/** { status, returned, outputs } of a call. */
export function call(names, library, described, step) {
  const inputs = [...(step.args ?? [])];
  const kept = [];
  const counts = new Map();
  let given = 0;
  const outputs = [];
  const values = described.parameters.map((one) => {
    if (one.direction !== 'in') {
      const isNull = step.out?.[given] === null;
      given += 1;
      outputs.push({ one, isNull });
      return outputs.at(-1);
    }
    if (inputs.length === 0) throw new Error('too few arguments');
    const word = inputs.shift();
    const value = input(names, kept, library, one, word);
    counts.set(one.name, Number(value));
    return value;
  });
  if (inputs.length > 0) throw new Error('too many arguments');
  for (const output of outputs) {
    const isArray = output.one.count && output.one.type !== 'void *';
    output.count = isArray ? Math.min(counts.get(output.one.count), MOST_ELEMENTS) : undefined;
    output.bytes = output.isNull ? null : room(output.one, isArray ? output.count + 1 : 1);
  }
  const returned = native[described.name](...values.map((value) => (outputs.includes(value) ? value.bytes : value)));
  return {
    status: described.result === 'gs_status_t' ? returned : undefined,
    returned: typeof returned === 'string' ? { text: returned } : { bits: BigInt.asUintN(64, BigInt(returned)) },
    outputs: outputs.map(({ one, bytes, count }) => {
      if (bytes === null) return count === undefined ? { bits: 0n } : { items: [] };
      if (count === undefined) return valueOf(one, bytes);
      const size = bytes.length / (count + 1);
      return { items: Array.from({ length: count }, (_, i) => valueOf(one, bytes.subarray(i * size, (i + 1) * size))) };
    }),
  };
}

// SPDX-License-Identifier: Apache-2.0
import type { Layout } from './raw';

type Value = number | bigint | string | Uint8Array;

/** The bits of a number. A RangeError: it has more than the member. */
export function word(name: string, kind: string, bits: number, value: bigint): bigint {
  const fits = kind.startsWith('int') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  if (fits !== value) throw new RangeError(`${name} is out of range: ${value}`);
  return BigInt.asUintN(bits, value);
}

/** Memory for a struct, with struct_size set and the given members. */
export function make(layout: Layout, members: Record<string, Value> = {}): Uint8Array {
  const bytes = new Uint8Array(layout.size);
  const view = new DataView(bytes.buffer);
  if (layout.sized) view.setUint32(0, layout.size, true);
  for (const [name, value] of Object.entries(members)) {
    const field = layout.fields[name];
    if (!field) throw new TypeError(`there is no member ${name}`);
    if (typeof value === 'string') bytes.set(Buffer.from(`${value}\0`).subarray(0, field.size), field.offset);
    else if (value instanceof Uint8Array) bytes.set(value, field.offset);
    else if (field.kind === 'double') view.setFloat64(field.offset, Number(value), true);
    else if (field.size === 8) view.setBigUint64(field.offset, word(name, field.kind, 64, BigInt(value)), true);
    else view.setUint32(field.offset, Number(word(name, field.kind, 32, BigInt(value))), true);
  }
  return bytes;
}

/** A member: texts as strings, 64-bit numbers as bigint, arrays of bytes as they are. */
export function read(layout: Layout, bytes: Uint8Array, name: string): Value {
  const field = layout.fields[name];
  if (!field) throw new TypeError(`there is no member ${name}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + field.offset, field.size);
  switch (field.kind) {
    case 'text': {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + field.offset, field.size).toString();
      return text.slice(0, text.indexOf('\0') < 0 ? undefined : text.indexOf('\0'));
    }
    case 'bytes':
      return bytes.slice(field.offset, field.offset + field.size);
    case 'int32':
      return view.getInt32(0, true);
    case 'uint32':
      return view.getUint32(0, true);
    case 'int64':
      return view.getBigInt64(0, true);
    case 'double':
      return view.getFloat64(0, true);
    default:
      return view.getBigUint64(0, true);
  }
}

/** The names of members as JavaScript spells them: allocatedBytes for allocated_bytes. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** All members but struct_size, as an object whose names are in camelCase. */
export function readAll(layout: Layout, bytes: Uint8Array): Record<string, Value> {
  const names = Object.keys(layout.fields).filter((name) => name !== 'struct_size' && !name.startsWith('reserved'));
  return Object.fromEntries(names.map((name) => [camelCase(name), read(layout, bytes, name)]));
}

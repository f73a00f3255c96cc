// SPDX-License-Identifier: Apache-2.0
// Values of the parity cases, and what the cases expect of them. A value is { bits }, { real }, { text }, { bytes, what }
// for a struct, or { items } for a list.
import gpustream from '../../index.mjs';

const { raw, makeStruct, readField } = gpustream;
const U64 = (n) => BigInt.asUintN(64, BigInt(n));

export const show = (v) =>
  v.text !== undefined ? `'${v.text}'` : v.items ? `a list of ${v.items.length}` : v.bytes ? 'a struct' : v.real !== undefined ? String(v.real) : String(BigInt.asIntN(64, v.bits));
const number = (v) => v.real ?? Number(BigInt.asIntN(64, v.bits));

function same(a, b) {
  if (a.text !== undefined || b.text !== undefined) return a.text === b.text;
  if (a.bytes || b.bytes) return Boolean(a.bytes && b.bytes) && Buffer.compare(a.bytes, b.bytes) === 0;
  if (a.real !== undefined || b.real !== undefined) return number(a) === number(b);
  return a.bits === b.bits;
}

/** A number, a variable, a constant or a text. Numbers that JSON cannot hold exactly are written as texts. */
export function resolve(names, word) {
  if (word === null) return { bits: 0n };
  if (typeof word === 'number') return Number.isInteger(word) ? { bits: U64(word) } : { real: word };
  if (typeof word !== 'string') throw new Error(`${JSON.stringify(word)} is no value`);
  if (word.startsWith('$')) {
    const found = names.get(word.slice(1));
    if (!found) throw new Error(`no variable ${word}`);
    return found;
  }
  if (names.has(`#${word}`)) return names.get(`#${word}`);
  return /^0x[0-9a-f]+$/i.test(word) ? { bits: U64(word) } : { text: word };
}

function expected(names, word, found) {
  return typeof word === 'string' && found.text !== undefined && !word.startsWith('$') ? { text: word } : resolve(names, word);
}

function require(condition, what, found, wanted) {
  if (!condition) throw new Error(`${what} is ${show(found)}, wanted ${wanted}`);
}

function checkRule(names, rule, operand, found, what) {
  if (rule === 'contains') return require(found.text?.includes(operand) ?? false, what, found, `a text with '${operand}'`);
  if (rule === 'fields') {
    for (const [field, inner] of Object.entries(operand)) check(names, inner, fieldOf(found, field), `${what}.${field}`);
    return undefined;
  }
  const limit = expected(names, operand, found);
  if (rule === 'not') return require(!same(found, limit), what, found, 'anything else');
  if (rule === 'min') return require(number(found) >= number(limit), what, found, `at least ${show(limit)}`);
  if (rule === 'max') return require(number(found) <= number(limit), what, found, `at most ${show(limit)}`);
  throw new Error(`unknown rule '${rule}'`);
}

/** Compares what came out with what a case expects. */
export function check(names, wanted, found, what) {
  if (Array.isArray(wanted)) {
    require(wanted.length <= (found.items?.length ?? 0), what, found, `${wanted.length} elements`);
    wanted.forEach((one, i) => check(names, one, found.items[i], `${what}[${i}]`));
  } else if (typeof wanted === 'object' && wanted !== null) {
    for (const [rule, operand] of Object.entries(wanted)) checkRule(names, rule, operand, found, what);
  } else {
    const value = expected(names, wanted, found);
    require(same(found, value), what, found, show(value));
  }
}

function fieldOf(found, name) {
  if (!found.bytes || !found.what) throw new Error('the value is no struct');
  const read = readField(raw[found.what], found.bytes, name);
  if (typeof read === 'string') return { text: read };
  if (read instanceof Uint8Array) return { bytes: read };
  return raw[found.what].fields[name].kind === 'double' ? { real: read } : { bits: U64(read) };
}

/** The bytes of a struct from the words of its members. */
export function structOf(names, what, words) {
  const members = Object.entries(words).map(([name, word]) => {
    const value = resolve(names, word);
    const kind = raw[what].fields[name]?.kind;
    return [name, value.text ?? value.real ?? value.bytes ?? (kind?.startsWith('int') ? BigInt.asIntN(64, value.bits) : value.bits)];
  });
  return makeStruct(raw[what], Object.fromEntries(members));
}

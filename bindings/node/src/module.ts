// SPDX-License-Identifier: Apache-2.0
import { Device, numberOf } from './device';
import { output } from './errors';
import type { Event } from './event';
import { Owner } from './library';
import { Memory } from './memory';
import { native, outAddress } from './native';
import * as raw from './raw';
import { word } from './structs';

/** How many threads a kernel gets, and bytes of dynamic shared memory. */
export interface Launch {
  grid?: number | [number, number?, number?];
  block?: number | [number, number?, number?];
  sharedMemory?: number;
  /** Blocks of a cluster. */
  cluster?: number | [number, number?, number?];
  /** All blocks run at the same time. */
  cooperative?: boolean;
  /** It may start before the kernel ahead of it in the stream has ended. */
  programmatic?: boolean;
  remoteDomain?: boolean;
  /** In place of the stream's. */
  priority?: number;
  /** Recorded by the launch; it may be complete before the kernel is. A node has none. */
  programmaticEvent?: Event;
}

/** An argument of a kernel: memory, or a number with its type. */
export type Argument = Memory | { u32: number } | { i32: number } | { u64: bigint } | { i64: bigint } | { f32: number } | { f64: number };

/** The members of structs that say how a kernel is launched. */
export function geometry(how: Launch): Record<string, number> {
  const sizes = (of: Launch['grid']) => (typeof of === 'number' ? [of] : (of ?? []));
  const [grid, block, cluster] = [sizes(how.grid), sizes(how.block), sizes(how.cluster)];
  return {
    grid_x: grid[0] ?? 1, grid_y: grid[1] ?? 1, grid_z: grid[2] ?? 1,
    block_x: block[0] ?? 1, block_y: block[1] ?? 1, block_z: block[2] ?? 1,
    shared_memory_bytes: how.sharedMemory ?? 0,
    ...(how.cluster === undefined ? {} : { cluster_x: cluster[0] ?? 1, cluster_y: cluster[1] ?? 1, cluster_z: cluster[2] ?? 1 }),
    flags: (how.cooperative ? raw.GS_LAUNCH_COOPERATIVE : 0) | (how.programmatic ? raw.GS_LAUNCH_PROGRAMMATIC : 0)
      | (how.remoteDomain ? raw.GS_LAUNCH_REMOTE_DOMAIN : 0) | (how.priority === undefined ? 0 : raw.GS_LAUNCH_PRIORITY),
    priority: how.priority ?? 0,
  };
}

/** The values, and an array with the address of each. The call has to hold on to both. */
export function packArguments(list: Argument[]): { values: DataView; pointers: BigUint64Array } {
  const values = new DataView(new ArrayBuffer(8 * list.length + 8));
  const start = native.addressOf(values);
  const pointers = BigUint64Array.from([...list.map((_, i) => start + BigInt(8 * i)), 0n]);
  list.forEach((one, i) => {
    const at = 8 * i;
    const whole = (kind: string, bits: number, value: number | bigint) => word(`argument ${i}`, kind, bits, BigInt(value));
    if (one instanceof Memory) values.setBigUint64(at, one.range(0), true);
    else if (typeof one !== 'object' || one === null) throw new TypeError(`argument ${i} has no size in C: write { u32: ${String(one)} }`);
    else if ('u32' in one) values.setBigUint64(at, whole('uint32', 32, one.u32), true);
    else if ('i32' in one) values.setBigUint64(at, whole('int32', 32, one.i32), true);
    else if ('u64' in one) values.setBigUint64(at, whole('uint64', 64, one.u64), true);
    else if ('i64' in one) values.setBigUint64(at, whole('int64', 64, one.i64), true);
    else if ('f32' in one) values.setFloat32(at, one.f32, true);
    else if ('f64' in one) values.setFloat64(at, one.f64, true);
    else throw new TypeError(`argument ${i} has no type`);
  });
  return { values, pointers };
}

/** A kernel is borrowed from its module, and of no use after that is closed. */
export class Kernel {
  constructor(readonly handle: bigint, readonly module: Module) {}
}

/** Loaded code with kernels. */
export class Module extends Owner {
  /** PTX, cubin or fatbin, on the host backend a shared object: its content, or the path of its file. */
  constructor(image: Uint8Array | string, device = Device.CURRENT) {
    if (typeof image !== 'string' && !(image instanceof Uint8Array)) throw new TypeError('a path or the content of a module is wanted');
    if (image.length === 0) throw new RangeError('the path or the content of a module is empty');
    if (typeof image === 'string' && image.includes('\0')) throw new TypeError('the path of a module has a NUL, at which C would cut it');
    // Images may be texts, and end with NUL then.
    const text = Buffer.concat([Buffer.from(image as string), Buffer.alloc(1)]);
    const bytes = typeof image === 'string' ? 0n : BigInt(image.length);
    super(output(native.gs_module_load(numberOf(device), text, bytes, outAddress)), 'module');
  }

  protected release(handle: bigint): number {
    return native.gs_module_destroy(handle);
  }

  /** Finds a kernel by its name. */
  kernel(name: string): Kernel {
    return new Kernel(output(native.gs_module_get_kernel(this.handle, name, outAddress)), this);
  }
}

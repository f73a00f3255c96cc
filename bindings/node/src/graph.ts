// SPDX-License-Identifier: Apache-2.0
import { Device, numberOf } from './device';
import { check, filled, output } from './errors';
import { Event } from './event';
import { Handle, handleOf, Owner } from './library';
import { Memory } from './memory';
import { type Argument, geometry, Kernel, type Launch, packArguments } from './module';
import { native, out, outAddress } from './native';
import * as raw from './raw';
import { Stream } from './stream';
import { make } from './structs';

/** A node of a graph: a number that no other node of the process ever has. */
export type Node = bigint;

/** Work with an order, captured or built, to be made executable. */
export class Graph extends Owner {
  /** An empty graph for a device. */
  constructor(device: Device | Handle = Device.CURRENT) {
    super(device instanceof Handle ? device.value : output(native.gs_graph_create(numberOf(device), 0, outAddress)), 'graph');
  }

  /**
   * Records what the function submits to the stream. If the function throws, the capture is aborted. It must not be
   * asynchronous. Modes: GS_CAPTURE_GLOBAL, GS_CAPTURE_THREAD_LOCAL (default), GS_CAPTURE_RELAXED.
   */
  static capture(stream: Stream, fn: () => void, mode: number = raw.GS_CAPTURE_THREAD_LOCAL): Graph {
    check(native.gs_stream_begin_capture(handleOf(stream, Stream), mode));
    try {
      const result: unknown = fn();
      if (typeof (result as { then?: unknown } | null | undefined)?.then === 'function') throw new TypeError('the function is asynchronous');
      check(native.gs_stream_end_capture(stream.handle, outAddress));
    } catch (error) {
      native.gs_stream_abort_capture(stream.handle); // the first failure says why
      throw error;
    }
    return new Graph(new Handle(out[0]!));
  }

  /** Wraps a cudaGraph_t that lives at least as long as the wrap. */
  static fromNative(address: bigint, device = Device.CURRENT): Graph {
    return new Graph(new Handle(output(native.gs_graph_from_native(numberOf(device), address, outAddress))));
  }

  #borrowed = false; // a body of a condition

  static #body(handle: bigint): Graph {
    const graph = new Graph(new Handle(handle));
    graph.#borrowed = true;
    return graph.borrowed();
  }

  protected release(handle: bigint): number {
    return this.#borrowed ? 0 : native.gs_graph_destroy(handle);
  }

  /** Names the graph in error texts; null ends that. 63 bytes are kept. */
  setName(name: string | null): void {
    check(native.gs_graph_set_name(this.handle, name));
  }

  /** The cudaGraph_t. */
  get native(): bigint {
    return output(native.gs_graph_native(this.handle, outAddress));
  }

  clone(): Graph {
    return new Graph(new Handle(output(native.gs_graph_clone(this.handle, outAddress))));
  }

  /** The members of gs_graph_summary_t in camelCase. */
  info(): Record<string, number | bigint> {
    return filled(raw.gs_graph_summary_t, (bytes) => native.gs_graph_info(this.handle, bytes)) as Record<string, number | bigint>;
  }

  #add(after: Node[], members: Record<string, number | bigint>): Node {
    const params = make(raw.gs_node_params_t, members);
    return output(native.gs_graph_add_node(this.handle, after.length ? BigUint64Array.from(after) : null, BigInt(after.length), params, outAddress));
  }

  /** Adds a node that only orders others. */
  addEmpty(...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_EMPTY });
  }

  /** Adds a launch; its arguments are copied. */
  addKernel(kernel: Kernel, how: Launch, list: Argument[], ...after: Node[]): Node {
    const packed = packArguments(list);
    const node = this.#add(after, { kind: raw.GS_NODE_KERNEL, kernel: kernel.handle, arguments: native.addressOf(packed.pointers), event: how.programmaticEvent?.handle ?? 0n, ...geometry(how) });
    packed.pointers.fill(0n); // the call has read both, which lived until here
    packed.values.setUint8(0, 0);
    return node;
  }

  /** Adds a copy. Both memories stay as long as the graph is launched. */
  addCopy(dst: Memory, src: Memory, bytes: number, ...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_MEMCPY, dst: dst.range(bytes), src: src.range(bytes), bytes });
  }

  addFill(dst: Memory, value: number, bytes: number, ...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_MEMSET, dst: dst.range(bytes), value, bytes });
  }

  /**
   * Declares to the ordering checker that a node reads the memory at each launch of executables that are made later. The
   * checker cannot know what kernels and host functions access.
   */
  checkRead(node: Node, memory: Memory, access: { bytes?: number; label?: string } = {}): void {
    const { bytes = memory.length, label = null } = access;
    check(native.gs_graph_check_read(this.handle, node, memory.range(bytes), BigInt(bytes), label));
  }

  /** Declares that it writes the memory, and possibly reads it. */
  checkWrite(node: Node, memory: Memory, access: { bytes?: number; label?: string } = {}): void {
    const { bytes = memory.length, label = null } = access;
    check(native.gs_graph_check_write(this.handle, node, memory.range(bytes), BigInt(bytes), label));
  }

  addRecord(event: Event, ...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_RECORD, event: handleOf(event, Event) });
  }

  addWait(event: Event, ...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_WAIT, event: handleOf(event, Event) });
  }

  /** Adds another graph, as it is now, as one node. */
  addGraph(child: Graph, ...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_GRAPH, graph: handleOf(child, Graph) });
  }

  /**
   * Adds a node with bodies, which run depending on a number that addSetCondition() sets: a GS_CONDITION_* kind. The bodies
   * belong to the graph and end with it.
   */
  addCondition(kind: number, initial: number, bodies: number, ...after: Node[]): { node: Node; bodies: Graph[] } {
    if (!Number.isInteger(bodies) || bodies < 1) throw new RangeError('a condition has at least one body');
    const node = this.#add(after, { kind: raw.GS_NODE_CONDITION, condition_kind: kind, initial, body_count: bodies });
    const handles = new BigUint64Array(bodies);
    check(native.gs_graph_node_bodies(this.handle, node, handles, BigInt(bodies), outAddress));
    return { node, bodies: Array.from(handles, Graph.#body) };
  }

  /**
   * Adds a node that sets the number of a condition from the first 32 bits of a memory. The condition's owner is this
   * graph, or the graph that this one is a body of.
   */
  addSetCondition(owner: Graph, condition: Node, word: Memory, ...after: Node[]): Node {
    return this.#add(after, { kind: raw.GS_NODE_SET_CONDITION, graph: handleOf(owner, Graph), condition, src: word.range(4) });
  }

  /** Makes an executable of the graph as it is now. */
  instantiate(flags = 0): GraphExec {
    return new GraphExec(new Handle(output(native.gs_graph_instantiate(this.handle, flags, outAddress))));
  }
}

/** A graph that can be launched, any number of times. */
export class GraphExec extends Owner {
  constructor(handle: Handle) {
    super(handle.value, 'graph executable');
  }

  protected release(handle: bigint): number {
    return native.gs_graph_exec_destroy(handle);
  }

  /** Runs the graph in stream order. Launches of one executable never overlap. */
  launch(stream: Stream): void {
    check(native.gs_graph_exec_launch(this.handle, handleOf(stream, Stream)));
  }

  /** Moves what a launch needs to the device ahead of it, in stream order. */
  upload(stream: Stream): void {
    check(native.gs_graph_exec_upload(this.handle, handleOf(stream, Stream)));
  }

  /** Whether later launches run a kernel, copy or fill node, as they do at first, or pass it over. */
  enable(node: Node, on: boolean): void {
    check(native.gs_graph_exec_enable_node(this.handle, node, on ? 1 : 0));
  }

  /** The cudaGraphExec_t. */
  get native(): bigint {
    return output(native.gs_graph_exec_native(this.handle, outAddress));
  }

  /** Makes this do what a graph of the same form does: { reason: GS_UPDATE_OK }, or why it cannot. */
  update(graph: Graph): Record<string, number | bigint> {
    return filled(raw.gs_graph_update_t, (bytes) => native.gs_graph_exec_update(this.handle, handleOf(graph, Graph), bytes)) as Record<string, number | bigint>;
  }
}

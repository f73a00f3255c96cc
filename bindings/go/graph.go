// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Graph is work with an order, captured or built, to be made executable.
type Graph struct {
	handle   owned
	borrowed bool // a body of a condition
}

// A Node of a graph.
type Node = raw.Node

// How far a capture reaches: which other calls it forbids while it lasts.
const (
	CaptureGlobal      = raw.CaptureGlobal
	CaptureThreadLocal = raw.CaptureThreadLocal
	CaptureRelaxed     = raw.CaptureRelaxed
)

// Capture records what the function submits to the stream as a graph. Modes but CaptureRelaxed belong to the OS thread, so
// the goroutine is locked to it. If the function fails or panics, the capture is aborted.
func (s *Stream) Capture(mode int32, fn func() error) (graph *Graph, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := call(func() Status { return raw.StreamBeginCapture(s.Handle(), mode) }); err != nil {
		return nil, err
	}
	captured := false
	defer func() {
		if !captured {
			aborted := call(func() Status { return raw.StreamAbortCapture(s.Handle()) })
			if err == nil {
				err = aborted
			}
		}
	}()
	if err := fn(); err != nil {
		return nil, err
	}
	graph, err = newGraph(of(raw.StreamEndCapture, s.Handle()))
	captured = err == nil
	return graph, err
}

// NewGraph makes an empty graph for a device.
func NewGraph(device Device) (*Graph, error) {
	return newGraph(get(func(out *raw.Graph) Status { return raw.GraphCreate(raw.Device(device), 0, out) }))
}

// GraphFromNative wraps a cudaGraph_t that lives at least as long as the wrap.
func GraphFromNative(device Device, native uintptr) (*Graph, error) {
	return newGraph(get(func(out *raw.Graph) Status { return raw.GraphFromNative(raw.Device(device), native, out) }))
}

func newGraph(handle raw.Graph, err error) (*Graph, error) {
	if err != nil {
		return nil, err
	}
	g := &Graph{}
	g.handle.Store(uint64(handle))
	watch(g, "graph", func(g *Graph) bool { return g.handle.Load() != 0 })
	return g, nil
}

// Handle is the handle of the C interface; 0 if the graph is nil or closed.
func (g *Graph) Handle() raw.Graph {
	if g == nil {
		return 0
	}
	return raw.Graph(g.handle.Load())
}

// Close gives the graph back. Executables made from it stay.
func (g *Graph) Close() error {
	if g == nil || g.borrowed {
		return nil
	}
	return end(&g.handle, func(handle uint64) Status { return raw.GraphDestroy(raw.Graph(handle)) })
}

// Clone copies the graph.
func (g *Graph) Clone() (*Graph, error) { return newGraph(of(raw.GraphClone, g.Handle())) }

// Native is the cudaGraph_t.
func (g *Graph) Native() (uintptr, error) { return of(raw.GraphNative, g.Handle()) }

// Info counts nodes and edges.
func (g *Graph) Info() (raw.GraphSummary, error) {
	return sized(raw.GraphInfo, g.Handle())
}

// Keep calls a function once, when the graph, its executables and their launches have ended.
func (g *Graph) Keep(release func()) error {
	return once(release, func(arg uintptr) Status { return raw.GraphKeep(g.Handle(), raw.HostFunction(), arg) })
}

// Dot is the graph in the language of Graphviz.
func (g *Graph) Dot() (string, error) {
	var text []byte
	arg := raw.Register(func(part []byte) Status {
		text = append(text, part...)
		return raw.Ok
	})
	defer raw.Unregister(arg)
	err := call(func() Status { return raw.GraphWriteDot(g.Handle(), raw.WriteFunction(), arg) })
	return string(text), err
}

// add adds a node after others.
func (g *Graph) add(after []Node, node raw.NodeParams) (Node, error) {
	var first *Node
	if len(after) > 0 {
		first = &after[0]
	}
	node.StructSize = uint32(unsafe.Sizeof(node))
	made, err := get(func(out *Node) Status { return raw.GraphAddNode(g.Handle(), first, uintptr(len(after)), &node, out) })
	runtime.KeepAlive(node.Arguments)
	return made, err
}

// AddEmpty adds a node that only orders others.
func (g *Graph) AddEmpty(after ...Node) (Node, error) {
	return g.add(after, raw.NodeParams{Kind: raw.NodeEmpty})
}

// AddHost adds a function that each launch calls, under the rules of Stream.LaunchHost.
func (g *Graph) AddHost(fn func(), after ...Node) (Node, error) {
	arg, err := keepFor(g.Handle(), fn)
	if err != nil {
		return 0, err
	}
	// If it fails, the graph keeps a function that is never called.
	return g.add(after, raw.NodeParams{Kind: raw.NodeHost, HostFunction: raw.HostAgainFunction(), HostArgument: arg})
}

// AddKernel adds a launch; its arguments are copied.
func (g *Graph) AddKernel(kernel Kernel, how Launch, list []any, after ...Node) (Node, error) {
	packed, err := pack(list)
	if err != nil {
		return 0, err
	}
	config := how.config()
	return g.add(after, raw.NodeParams{
		Kind: raw.NodeKernel, Kernel: kernel.handle, Arguments: &packed.pointers[0],
		GridX: config.GridX, GridY: config.GridY, GridZ: config.GridZ,
		BlockX: config.BlockX, BlockY: config.BlockY, BlockZ: config.BlockZ,
		SharedMemoryBytes: config.SharedMemoryBytes, Flags: config.Flags,
		ClusterX: config.ClusterX, ClusterY: config.ClusterY, ClusterZ: config.ClusterZ,
		Priority: config.Priority, Event: config.ProgrammaticEvent,
	})
}

// AddCopy adds a copy. Both memories stay alive as long as the graph is launched.
func (g *Graph) AddCopy(dst, src Memory, bytes int, after ...Node) (Node, error) {
	if err := inside(bytes, dst, src); err != nil {
		return 0, err
	}
	return g.add(after, raw.NodeParams{Kind: raw.NodeMemcpy, Dst: dst.Address(), Src: src.Address(), Bytes: uint64(bytes)})
}

// AddFill adds a fill.
func (g *Graph) AddFill(dst Memory, value byte, bytes int, after ...Node) (Node, error) {
	if err := inside(bytes, dst); err != nil {
		return 0, err
	}
	return g.add(after, raw.NodeParams{Kind: raw.NodeMemset, Dst: dst.Address(), Value: int32(value), Bytes: uint64(bytes)})
}

// WillRead declares to the ordering checker that a node reads this many bytes of the memory at each launch of executables
// that are made later. The checker cannot know what kernels and host functions access.
func (g *Graph) WillRead(node Node, memory Memory, bytes int, label string) error {
	return g.declare(raw.GraphCheckRead, node, memory, bytes, label)
}

// WillWrite tells it that the node writes them, and possibly reads them.
func (g *Graph) WillWrite(node Node, memory Memory, bytes int, label string) error {
	return g.declare(raw.GraphCheckWrite, node, memory, bytes, label)
}

func (g *Graph) declare(access func(raw.Graph, Node, uintptr, uintptr, *byte) Status, node Node, memory Memory, bytes int, label string) error {
	if err := inside(bytes, memory); err != nil {
		return err
	}
	return withText(label, func(label *byte) Status { return access(g.Handle(), node, memory.Address(), uintptr(bytes), label) })
}

// AddRecord adds a record of an event.
func (g *Graph) AddRecord(event *Event, after ...Node) (Node, error) {
	return g.add(after, raw.NodeParams{Kind: raw.NodeRecord, Event: event.Handle()})
}

// AddWait adds a wait for an event.
func (g *Graph) AddWait(event *Event, after ...Node) (Node, error) {
	return g.add(after, raw.NodeParams{Kind: raw.NodeWait, Event: event.Handle()})
}

// AddGraph adds another graph, as it is now, as one node.
func (g *Graph) AddGraph(child *Graph, after ...Node) (Node, error) {
	return g.add(after, raw.NodeParams{Kind: raw.NodeGraph, Graph: child.Handle()})
}

// What decides which body of a condition runs.
const (
	If     = raw.ConditionIf     // the first unless the number is 0, else the second if there is one
	While  = raw.ConditionWhile  // the first, as long as the number is not 0
	Switch = raw.ConditionSwitch // the one of this index, if there is one
)

// AddCondition adds a node with bodies, which run depending on a number that AddSetCondition sets. The bodies belong to
// the graph: Close does nothing to them.
func (g *Graph) AddCondition(kind int32, initial uint32, bodies int, after ...Node) (Node, []*Graph, error) {
	if bodies < 1 {
		return 0, nil, bare(ErrInvalidArgument, "a condition has at least one body")
	}
	node, err := g.add(after, raw.NodeParams{
		Kind: raw.NodeCondition, ConditionKind: kind, Initial: initial, BodyCount: uint32(min(bodies, math.MaxUint32)),
	})
	if err != nil {
		return 0, nil, err
	}
	handles := make([]raw.Graph, bodies)
	var count uintptr
	if err := call(func() Status { return raw.GraphNodeBodies(g.Handle(), node, &handles[0], uintptr(bodies), &count) }); err != nil {
		return 0, nil, err
	}
	graphs := make([]*Graph, bodies)
	for i, handle := range handles {
		graphs[i] = &Graph{borrowed: true}
		graphs[i].handle.Store(uint64(handle))
	}
	return node, graphs, nil
}

// AddSetCondition adds a node that sets the number of a condition from the first 32 bits of a memory. The condition's owner
// is this graph, or the graph that this one is a body of.
func (g *Graph) AddSetCondition(owner *Graph, condition Node, word Memory, after ...Node) (Node, error) {
	if err := inside(4, word); err != nil {
		return 0, err
	}
	return g.add(after, raw.NodeParams{
		Kind: raw.NodeSetCondition, Graph: owner.Handle(), Condition: condition, Src: word.Address(),
	})
}

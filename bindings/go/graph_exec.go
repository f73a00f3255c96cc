// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A GraphExec is a graph that can be launched, any number of times.
type GraphExec struct{ handle owned }

// Instantiate makes an executable of the graph as it is now.
func (g *Graph) Instantiate(flags uint32) (*GraphExec, error) {
	handle, err := get(func(out *raw.GraphExec) Status { return raw.GraphInstantiate(g.Handle(), flags, out) })
	o, err := own("graph executable", uint64(handle), err)
	return (*GraphExec)(o), err
}

// Handle is the handle of the C interface; 0 if the executable is nil or closed.
func (x *GraphExec) Handle() raw.GraphExec { return raw.GraphExec((*object)(x).load()) }

// Launch runs the graph in stream order. Launches of one executable never overlap.
func (x *GraphExec) Launch(stream *Stream) error {
	return call(func() Status { return raw.GraphExecLaunch(x.Handle(), stream.Handle()) })
}

// Upload moves what a launch needs to the device ahead of it, in stream order.
func (x *GraphExec) Upload(stream *Stream) error {
	return call(func() Status { return raw.GraphExecUpload(x.Handle(), stream.Handle()) })
}

// Enable says whether later launches run a kernel, copy or fill node, as they do at first, or pass it over.
func (x *GraphExec) Enable(node Node, on bool) error {
	enabled := int32(0)
	if on {
		enabled = 1
	}
	return call(func() Status { return raw.GraphExecEnableNode(x.Handle(), node, enabled) })
}

// Native is the cudaGraphExec_t.
func (x *GraphExec) Native() (uintptr, error) { return of(raw.GraphExecNative, x.Handle()) }

// Update makes the executable do what a graph of the same form does. Where the graph differs too much, there is no error
// but a reason: raw.UpdateOk means that it was done.
func (x *GraphExec) Update(graph *Graph) (raw.GraphUpdate, error) {
	result := raw.GraphUpdate{StructSize: uint32(unsafe.Sizeof(raw.GraphUpdate{}))}
	err := call(func() Status { return raw.GraphExecUpdate(x.Handle(), graph.Handle(), &result) })
	return result, err
}

// Close gives the executable back. Launches go on.
func (x *GraphExec) Close() error { return closed((*object)(x), raw.GraphExecDestroy) }

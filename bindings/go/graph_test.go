// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"encoding/binary"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func hostBuffer(t *testing.T, bytes int) *HostBuffer {
	t.Helper()
	b := must[*HostBuffer](t)(NewHostBuffer(bytes))
	t.Cleanup(func() { ok(t, b.Close()) })
	clear(b.Bytes())
	return b
}

func TestMemory(t *testing.T) {
	s, from, to := newTestStream(t), hostBuffer(t, 64), hostBuffer(t, 64)
	device := must[*Buffer](t)(s.Malloc(64))
	for i := range from.Bytes() {
		from.Bytes()[i] = byte(i)
	}
	ok(t, s.Copy(device, from, 64))
	ok(t, s.Copy(to, device, 64))
	ok(t, s.Fill(to, 9, 2))
	ok(t, device.Close())
	ok(t, device.Close())
	ok(t, s.Synchronize(forever))
	if b := to.Bytes(); b[0] != 9 || b[1] != 9 || b[2] != 2 || b[63] != 63 {
		t.Error(b)
	}
	wants(t, ErrInvalidArgument, s.Copy(to, device, 1))
	wants(t, ErrInvalidArgument, s.Copy(to, from, 65))
	wants(t, ErrInvalidArgument, s.Fill(nil, 0, 0))
	closed := must[*HostBuffer](t)(NewHostBuffer(8))
	ok(t, closed.Close())
	if closed.Bytes() != nil {
		t.Error("closed memory can be read")
	}
}

func kernel(t *testing.T) Kernel {
	t.Helper()
	m := must[*Module](t)(LoadModuleFile(On(Host, 0), buildFolder()+"/tests/parity/libgpustream_parity_native.so"))
	t.Cleanup(func() { ok(t, m.Close()) })
	_, err := m.Kernel("no_such_kernel")
	if err == nil {
		t.Error("a kernel that does not exist was found")
	}
	return must[Kernel](t)(m.Kernel("parity_scale"))
}

func word(b *HostBuffer, i int) uint32 { return binary.NativeEndian.Uint32(b.Bytes()[4*i:]) }

func TestKernel(t *testing.T) {
	s, out, k := newTestStream(t, OnDevice(On(Host, 0))), hostBuffer(t, 48), kernel(t)
	ok(t, s.Launch(k, Launch{Grid: [3]uint32{3}, Block: [3]uint32{4}}, out, uint32(5)))
	ok(t, s.Synchronize(forever))
	for i := range 12 {
		if word(out, i) != uint32(5*i) {
			t.Fatalf("element %d is %d", i, word(out, i))
		}
	}
	wants(t, ErrInvalidArgument, s.Launch(k, Launch{}, "text"))
	wants(t, ErrInvalidHandle, s.Launch(Kernel{}, Launch{}))
	_, err := LoadModuleFile(On(Host, 0), "/no/such/file")
	if err == nil {
		t.Error("a module that does not exist was loaded")
	}
}

func TestCapture(t *testing.T) {
	s, calls := newTestStream(t), atomic.Int32{}
	graph := must[*Graph](t)(s.Capture(CaptureThreadLocal, func() error {
		return s.LaunchHost(func() { calls.Add(1) })
	}))
	exec := must[*GraphExec](t)(graph.Instantiate(0))
	ok(t, graph.Close())
	for range 3 {
		ok(t, exec.Launch(s))
	}
	ok(t, s.Synchronize(forever))
	if calls.Load() != 3 {
		t.Errorf("%d calls of three launches", calls.Load())
	}
	ok(t, exec.Close())
	failed := errors.New("failed")
	_, err := s.Capture(CaptureRelaxed, func() error { return failed })
	if !errors.Is(err, failed) || must[bool](t)(s.Capturing()) {
		t.Error("the capture goes on", err)
	}
	_, err = s.Capture(9, func() error { return nil })
	wants(t, ErrInvalidArgument, err)
}

func TestAttributesOfLaunches(t *testing.T) {
	s, out, k, timed := newTestStream(t, OnDevice(On(Host, 0))), hostBuffer(t, 48), kernel(t), newTestEvent(t, Timing)
	g := must[*Graph](t)(NewGraph(On(Host, 0)))
	defer g.Close()
	priority := int32(-1)
	refused := func(text string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v lacks %q", err, text)
		}
	}
	refused("cluster of 2 x 3 x 5 blocks", s.Launch(k, Launch{Cluster: [3]uint32{2, 3, 5}}, out, uint32(5)))
	refused("launch fewer", s.Launch(k, Launch{Grid: [3]uint32{1e6}, Block: [3]uint32{1024}, Cooperative: true}, out, uint32(5)))
	refused("without GS_EVENT_TIMING", s.Launch(k, Launch{ProgrammaticEvent: timed}, out, uint32(5)))
	_, err := g.AddKernel(k, Launch{Programmatic: true}, []any{out, uint32(5)})
	refused("GS_LAUNCH_PROGRAMMATIC", err)
	must[Node](t)(g.AddKernel(k, Launch{Cluster: [3]uint32{1, 1, 1}, Priority: &priority, RemoteDomain: true}, []any{out, uint32(5)}))
	ok(t, s.Launch(k, Launch{Grid: [3]uint32{6}, Block: [3]uint32{2}, Cluster: [3]uint32{2, 1, 1}, Priority: &priority, RemoteDomain: true,
		Programmatic: true, ProgrammaticEvent: newTestEvent(t)}, out, uint32(5)))
	ok(t, s.Synchronize(forever))
	if word(out, 11) != 55 {
		t.Errorf("the last element is %d", word(out, 11))
	}
}

func TestBuiltGraph(t *testing.T) {
	s, out, e, k := newTestStream(t, OnDevice(On(Host, 0))), hostBuffer(t, 48), newTestEvent(t), kernel(t)
	calls, released := atomic.Int32{}, make(chan struct{})
	g := must[*Graph](t)(NewGraph(On(Host, 0)))
	ok(t, g.Keep(func() { close(released) }))
	scaled := must[Node](t)(g.AddKernel(k, Launch{Grid: [3]uint32{3}, Block: [3]uint32{4}}, []any{out, uint32(2)}))
	filled := must[Node](t)(g.AddFill(out, 1, 4, scaled))
	called := must[Node](t)(g.AddHost(func() { calls.Add(1) }, filled))
	must[Node](t)(g.AddRecord(e, must[Node](t)(g.AddEmpty(called))))
	_, err := g.AddEmpty(called, called)
	wants(t, ErrInvalidArgument, err)
	if info := must[raw.GraphSummary](t)(g.Info()); info.NodeCount != 5 || info.EdgeCount != 4 {
		t.Error(info)
	}
	if dot := must[string](t)(g.Dot()); !strings.Contains(dot, "digraph") {
		t.Error(dot)
	}
	x := must[*GraphExec](t)(g.Instantiate(0))
	same := must[*Graph](t)(g.Clone())
	if must[raw.GraphUpdate](t)(x.Update(same)).Reason != raw.UpdateOk {
		t.Error("the copy does not fit")
	}
	ok(t, x.Launch(s))
	ok(t, s.Synchronize(forever))
	if word(out, 0) != 0x01010101 || word(out, 11) != 22 || calls.Load() != 1 || !must[bool](t)(e.Done()) {
		t.Error(word(out, 0), word(out, 11), calls.Load())
	}
	ok(t, g.Close())
	ok(t, same.Close())
	ok(t, x.Close())
	<-released
}

func TestConditions(t *testing.T) {
	s, out := newTestStream(t, OnDevice(On(Host, 0))), hostBuffer(t, 12)
	g := must[*Graph](t)(NewGraph(On(Host, 0)))
	set := must[Node](t)(g.AddFill(out, 1, 1))
	taken, bodies, err := g.AddCondition(If, 0, 2, set)
	ok(t, err)
	must[Node](t)(bodies[0].AddFill(memoryAt{out.Address() + 4}, 1, 4))
	must[Node](t)(bodies[1].AddFill(memoryAt{out.Address() + 8}, 1, 4))
	for _, body := range bodies {
		ok(t, body.Close()) // does nothing: the node has it
	}
	launch := func() {
		x := must[*GraphExec](t)(g.Instantiate(0))
		ok(t, x.Upload(s))
		ok(t, x.Launch(s))
		ok(t, s.Synchronize(forever))
		ok(t, x.Close())
	}
	launch()
	if word(out, 0) != 1 || word(out, 1) != 0 || word(out, 2) != 0x01010101 {
		t.Error(out.Bytes())
	}
	clear(out.Bytes())
	_, err = g.AddSetCondition(g, taken, memoryAt{0}, set)
	wants(t, ErrInvalidArgument, err)
	_, err = g.AddSetCondition(g, set, out, set)
	wants(t, ErrInvalidArgument, err)
	_, _, err = g.AddCondition(If, 0, 0)
	wants(t, ErrInvalidArgument, err)
	ok(t, g.Close())
	_, err = bodies[0].AddEmpty()
	wants(t, ErrInvalidHandle, err)
}

// A word of someone else's memory.
type memoryAt struct{ address uintptr }

func (m memoryAt) Address() uintptr { return m.address }
func (m memoryAt) Len() int         { return 4 }

func TestLoopsAndDisabledNodes(t *testing.T) {
	s, words := newTestStream(t, OnDevice(On(Host, 0))), hostBuffer(t, 8)
	g := must[*Graph](t)(NewGraph(On(Host, 0)))
	loop, bodies, err := g.AddCondition(While, 1, 1)
	ok(t, err)
	// Once: the first word becomes the condition of the next round.
	filled := must[Node](t)(bodies[0].AddFill(memoryAt{words.Address() + 4}, 3, 4))
	must[Node](t)(bodies[0].AddSetCondition(g, loop, words, filled))
	last := must[Node](t)(g.AddFill(words, 9, 1, loop))
	x := must[*GraphExec](t)(g.Instantiate(0))
	ok(t, x.Enable(last, false))
	ok(t, x.Launch(s))
	ok(t, s.Synchronize(forever))
	if word(words, 0) != 0 || word(words, 1) != 0x03030303 {
		t.Error(words.Bytes())
	}
	ok(t, x.Enable(last, true))
	ok(t, x.Launch(s))
	ok(t, s.Synchronize(forever))
	if word(words, 0) != 9 || must[uintptr](t)(x.Native()) == 0 {
		t.Error(words.Bytes())
	}
	wants(t, ErrInvalidArgument, x.Enable(loop+1000, false))
	ok(t, x.Close())
	wants(t, ErrInvalidHandle, x.Upload(s))
	ok(t, g.Close())
}

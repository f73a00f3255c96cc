// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestClosedMemoryIsNoArgumentOfAKernel(t *testing.T) {
	s, k, g := newTestStream(t, OnDevice(On(Host, 0))), kernel(t), must[*Graph](t)(NewGraph(On(Host, 0)))
	defer g.Close()
	host, device := must[*HostBuffer](t)(NewHostBuffer(48)), must[*Buffer](t)(s.Malloc(48))
	ok(t, host.Close())
	ok(t, device.Close())
	for _, one := range []Memory{host, device, (*HostBuffer)(nil), (*Buffer)(nil)} {
		wants(t, ErrInvalidArgument, s.Launch(k, Launch{}, one, uint32(5)))
		_, err := g.AddKernel(k, Launch{}, []any{one, uint32(5)})
		wants(t, ErrInvalidArgument, err)
	}
	ok(t, s.Synchronize(forever))
}

func TestNilFunctionsAreRefused(t *testing.T) {
	s, g := newTestStream(t), must[*Graph](t)(NewGraph(CurrentDevice))
	defer g.Close()
	wants(t, ErrInvalidArgument, s.Notify(nil))
	wants(t, ErrInvalidArgument, s.Defer(nil))
	wants(t, ErrInvalidArgument, s.LaunchHost(nil))
	wants(t, ErrInvalidArgument, g.Keep(nil))
	wants(t, ErrInvalidArgument, OnInit(nil))
	_, err := g.AddHost(nil)
	wants(t, ErrInvalidArgument, err)
	captured, err := s.Capture(CaptureRelaxed, func() error { return s.LaunchHost(nil) })
	wants(t, ErrInvalidArgument, err)
	ok(t, captured.Close())
}

func TestNumbersAreNotCut(t *testing.T) {
	for _, capacity := range []int{-1, 0, math.MaxUint32 + 1, math.MinInt} {
		_, err := NewQueue(capacity)
		wants(t, ErrInvalidArgument, err)
	}
	for _, ordinal := range []int{1 << 32, -1, -1 << 32, 4000} {
		_, err := On(Host, ordinal).Info()
		wants(t, ErrInvalidDevice, err)
	}
}

func TestAnEmptyImageIsNoPath(t *testing.T) {
	for _, image := range [][]byte{nil, {}} {
		_, err := LoadModule(On(Host, 0), image)
		wants(t, ErrInvalidArgument, err)
		if !strings.Contains(err.Error(), "image is empty") {
			t.Error(err)
		}
	}
}

// C would read such a text up to the NUL.
func TestTextsWithNULAreRefused(t *testing.T) {
	s, e, g := newTestStream(t), newTestEvent(t), must[*Graph](t)(NewGraph(On(Host, 0)))
	defer g.Close()
	host, node := hostBuffer(t, 8), must[Node](t)(g.AddEmpty())
	path := buildFolder() + "/tests/parity/libgpustream_parity_native.so"
	m := must[*Module](t)(LoadModuleFile(On(Host, 0), path))
	defer m.Close()
	_, moduleErr := LoadModuleFile(On(Host, 0), path+"\x00.old")
	_, kernelErr := m.Kernel("parity_scale\x00d")
	_, rangeErr := StartRange("a\x00b")
	for i, err := range []error{
		moduleErr, kernelErr, rangeErr, Mark("a\x00b"), s.SetName("a\x00b"), e.SetName("\x00"), g.SetName("a\x00"),
		s.WillRead(host, 8, "a\x00b"), s.WillWrite(host, 8, "a\x00b"), g.WillRead(node, host, 8, "a\x00b"),
	} {
		if !errors.Is(err, ErrInvalidArgument) || !strings.Contains(err.Error(), "NUL") {
			t.Error(i, err)
		}
	}
}

// What is always there needs no Close. What is forgotten is found beside objects that live.
func TestDefaultsAreNoLeaks(t *testing.T) {
	leaked := make(chan string, 8)
	OnLeak(func(kind, _ string) { leaked <- kind })
	defer OnLeak(nil)
	last := func() *Event {
		must[*Stream](t)(DefaultStream(CurrentDevice))
		must[*Pool](t)(DefaultPool(CurrentDevice))
		return EventFromHandle(must[*Event](t)(NewEvent()).Handle())
	}()
	found := []string{}
	for range 100 {
		runtime.GC()
		select {
		case kind := <-leaked:
			found = append(found, kind)
		case <-time.After(time.Millisecond):
		}
	}
	if len(found) != 1 || found[0] != "event" {
		t.Error(found)
	}
	ok(t, last.Close())
}

// slow memory calls a function when a copy asks for the address, behind all checks.
type slow struct {
	*HostBuffer
	asked func()
}

func (m slow) Address() uintptr {
	m.asked()
	return m.HostBuffer.Address()
}

func TestCloseWaitsForASubmissionOfAnotherGoroutine(t *testing.T) {
	s, host, closed := newTestStream(t), hostBuffer(t, 8), make(chan error)
	b := must[*Buffer](t)(s.Malloc(8))
	ok(t, s.Copy(b, slow{host, func() {
		go func() { closed <- b.Close() }()
		for range 1000 {
			runtime.Gosched()
		}
		if !b.isOpen() {
			t.Error("the memory was freed before the copy was submitted")
		}
	}}, 8))
	ok(t, <-closed)
	wants(t, ErrInvalidArgument, s.Copy(b, host, 8))
	ok(t, s.Synchronize(forever))
}

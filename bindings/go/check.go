// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"encoding/json"
	"runtime"
	"sync"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

// What StartCheck takes.
const (
	CheckAbort  = raw.CheckAbort  // the first report ends the process
	CheckStacks = raw.CheckStacks // accesses keep the call stack that they have in C
)

// StartCheck turns the ordering checker on, for the whole process: see docs/guide/debugging.md.
func StartCheck(flags ...uint32) error {
	return call(func() Status { return raw.CheckStart(union(flags)) })
}

// StopCheck turns it off; it forgets what it knows.
func StopCheck() error { return call(raw.CheckStop) }

// WillRead tells the checker that the work submitted here reads this many bytes of the memory. Call it beside the launch.
// The label, of any length, is what reports call the work.
func (s *Stream) WillRead(memory Memory, bytes int, label string) error {
	return s.declare(raw.CheckRead, memory, bytes, label)
}

// WillWrite tells it that the work writes them, and possibly reads them.
func (s *Stream) WillWrite(memory Memory, bytes int, label string) error {
	return s.declare(raw.CheckWrite, memory, bytes, label)
}

func (s *Stream) declare(access func(raw.Stream, uintptr, uintptr, *byte) Status, memory Memory, bytes int, label string) error {
	if err := inside(bytes, memory); err != nil {
		return err
	}
	return withText(label, func(label *byte) Status { return access(s.Handle(), memory.Address(), uintptr(bytes), label) })
}

// OnRace sets the function that receives reports: the text for people, and the same as JSON. nil writes them to standard
// error, as at first. It runs on the thread whose access completed the race, inside its call, and must not call the library.
func OnRace(fn func(text string, report json.RawMessage)) error {
	if fn == nil {
		return call(func() Status { return raw.SetCheckCallback(0, 0) })
	}
	arg := raw.Register(func(text, report string) { fn(text, json.RawMessage(report)) })
	err := call(func() Status { return raw.SetCheckCallback(raw.CheckFunction(), arg) })
	if err != nil {
		raw.Unregister(arg)
		return err
	}
	return nil // the function before is kept: another thread may still be in it
}

// A CheckClock shows the checker an order that it cannot see: goroutines that pass on completed work by a lock or a
// channel. Each goroutine calls Handover where it holds the lock, or before it sends and after it has received.
type CheckClock struct {
	mutex  sync.Mutex
	number uint64
}

// Handover gives the calling thread what earlier callers knew, and leaves what it knows. What a goroutine knows is its
// thread's, so this is for goroutines in a scope or a LockThread.
func (c *CheckClock) Handover() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return call(func() Status { return raw.CheckHandover(&c.number) })
}

// ForbidSync runs a function in which the goroutine may not wait for device work: calls that would wait return
// ErrSyncForbidden at once, also those with a context. The goroutine is locked to its OS thread. Calls may be nested.
func ForbidSync(fn func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := forbid(1)
	if err != nil {
		return err
	}
	defer func() {
		if _, ended := forbid(before); err == nil {
			err = ended
		}
	}()
	return fn()
}

func forbid(on int32) (int32, error) { return of(raw.ForbidSync, on) }

// withText calls a function with a text as C has it.
func withText(text string, fn func(text *byte) Status) error {
	found, err := dl.Text(text)
	if err != nil {
		return bare(ErrInvalidArgument, err.Error())
	}
	return call(func() Status { return fn(found) })
}

// SetName names the stream in error texts and reports; "" ends that. 63 bytes are kept.
func (s *Stream) SetName(name string) error {
	return withText(name, func(name *byte) Status { return raw.StreamSetName(s.Handle(), name) })
}

// SetName names the event in error texts and reports; "" ends that. 63 bytes are kept.
func (e *Event) SetName(name string) error {
	return withText(name, func(name *byte) Status { return raw.EventSetName(e.Handle(), name) })
}

// SetName names the graph in error texts; "" ends that. 63 bytes are kept.
func (g *Graph) SetName(name string) error {
	return withText(name, func(name *byte) Status { return raw.GraphSetName(g.Handle(), name) })
}

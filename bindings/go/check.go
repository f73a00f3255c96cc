// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"encoding/json"
	"runtime"
	"sync"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// What StartCheck takes.
const (
	CheckAbort  = raw.CheckAbort  // the first report ends the process
	CheckStacks = raw.CheckStacks // accesses keep the call stack that they have in C
)

// StartCheck turns the ordering checker on, for the whole process: see docs/guide/debugging.md.
func StartCheck(flags ...uint32) error {
	all := uint32(0)
	for _, flag := range flags {
		all |= flag
	}
	return call(func() Status { return raw.CheckStart(all) })
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
	return call(func() Status { return access(s.Handle(), memory.Address(), uintptr(bytes), cText(label)) })
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

// cText is a text with the end that C wants.
func cText(text string) *byte { return &append([]byte(text), 0)[0] }

// mayWait checks waits that only Go knows: the library refuses this wait for no event where it refuses all waits.
func mayWait() error { return call(func() Status { return raw.EventSynchronizeAll(nil, 0, 0) }) }

// SetName names the stream in error texts and reports; "" ends that. 63 bytes are kept.
func (s *Stream) SetName(name string) error {
	return call(func() Status { return raw.StreamSetName(s.Handle(), cText(name)) })
}

// SetName names the event in error texts and reports; "" ends that. 63 bytes are kept.
func (e *Event) SetName(name string) error {
	return call(func() Status { return raw.EventSetName(e.Handle(), cText(name)) })
}

// SetName names the graph in error texts; "" ends that. 63 bytes are kept.
func (g *Graph) SetName(name string) error {
	return call(func() Status { return raw.GraphSetName(g.Handle(), cText(name)) })
}

// SPDX-License-Identifier: Apache-2.0

package gpustream

import "github.com/gpustream/gpustream/bindings/go/raw"

// Notify calls a function after the work submitted so far is done, with its error. It runs on a thread of the library
// that serves all notifications, holds up no stream, and may call everything but what waits.
func (s *Stream) Notify(fn func(error)) error {
	if fn == nil {
		return noFunction()
	}
	return once(func(status Status) {
		if status == raw.Ok {
			fn(nil)
			return
		}
		fn(bare(status, ""))
	}, func(arg uintptr) Status { return raw.StreamNotify(s.Handle(), raw.NotifyFunction(), arg) })
}

// Defer calls a function some time after the work submitted so far is done: for releasing what it uses.
func (s *Stream) Defer(fn func()) error {
	return once(fn, func(arg uintptr) Status { return raw.StreamDefer(s.Handle(), raw.HostFunction(), arg) })
}

// LaunchHost calls a function in stream order: later work of the stream waits until it returns. It runs on a thread of
// the driver and must not call the library or wait for what any stream does. Locks and channels count as waits, too.
// In a capture it is called at each launch of the graph.
func (s *Stream) LaunchHost(fn func()) error {
	return s.settled(func(s *Stream) error { return s.launchHost(fn) }) // Current does not say whether it is being captured
}

func (s *Stream) launchHost(fn func()) error {
	info, err := sized(raw.StreamCaptureInfo, s.Handle())
	if err != nil {
		return err
	}
	if info.State != raw.CaptureStateActive {
		return once(fn, func(arg uintptr) Status { return raw.StreamLaunchHost(s.Handle(), raw.HostFunction(), arg) })
	}
	arg, err := keepFor(info.Graph, fn)
	if err != nil {
		return err
	}
	// If it fails, the graph keeps a function that is never called.
	return call(func() Status { return raw.StreamLaunchHost(s.Handle(), raw.HostAgainFunction(), arg) })
}

func noFunction() error { return bare(ErrInvalidArgument, "the function is nil") }

// once registers a function that is called once, or never if the call that takes it fails.
func once(fn any, take func(arg uintptr) Status) error {
	if plain, is := fn.(func()); is && plain == nil {
		return noFunction()
	}
	arg := raw.Register(fn)
	err := call(func() Status { return take(arg) })
	if err != nil {
		raw.Unregister(arg)
	}
	return err
}

// keepFor registers a function that is called by launches of a graph, as long as it or its executables live.
func keepFor(graph raw.Graph, fn func()) (uintptr, error) {
	if fn == nil {
		return 0, noFunction()
	}
	arg := raw.Register(fn)
	release := raw.Register(func() { raw.Unregister(arg) })
	err := call(func() Status { return raw.GraphKeep(graph, raw.HostFunction(), release) })
	if err != nil {
		raw.Unregister(arg)
		raw.Unregister(release)
	}
	return arg, err
}

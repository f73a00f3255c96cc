// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

const errorInfoSize = uint32(unsafe.Sizeof(raw.ErrorInfo{}))

// Load opens the library from a file, instead of the search that the first call makes. It is refused if the process uses
// another file of the library already.
func Load(path string) error { return raw.Load(path) }

// LibraryPath is the file in use; "" before the first call.
func LibraryPath() string { return raw.Path() }

// Version is the library's, as in "0.1.0"; "" if there is none.
func Version() string { return raw.VersionString() }

// Init starts the default backend. Every call that needs it does so too.
func Init() error { return call(raw.Init) }

// Available reports whether the default backend has a device.
func Available() (bool, error) { return ask(raw.IsAvailable) }

// Initialized reports whether Init has happened.
func Initialized() (bool, error) { return ask(raw.IsInitialized) }

// Trim returns what the library keeps for reuse, and runs deferred functions that are due.
func Trim() error { return call(raw.Trim) }

// Stats counts what the library did, over all threads.
func Stats() (raw.Stats, error) {
	stats := raw.Stats{StructSize: uint32(unsafe.Sizeof(raw.Stats{}))}
	err := call(func() Status { return raw.GetStats(&stats) })
	return stats, err
}

// OnInit calls a function once, when the library is initialised, or now if it is. If it fails, so does that call.
func OnInit(fn func() error) error {
	if fn == nil {
		return noFunction()
	}
	var failed error
	arg := raw.Register(func() Status {
		failed = fn()
		if failed != nil {
			return ErrSystem
		}
		return raw.Ok
	})
	err := call(func() Status { return raw.CallOnInit(raw.StatusFunction(), arg) })
	if err != nil {
		raw.Unregister(arg) // if it was not called
		if failed != nil {
			err.(*Error).cause = failed
		}
	}
	return err
}

// SetLog sets the function that gets messages that cannot be returned to a caller; nil writes them to standard error
// again. It runs on whichever thread has something to say.
func SetLog(fn func(level int32, text string)) error {
	if fn == nil {
		return call(func() Status { return raw.SetLogCallback(0, 0) })
	}
	arg := raw.Register(fn)
	err := call(func() Status { return raw.SetLogCallback(raw.LogFunction(), arg) })
	if err != nil {
		raw.Unregister(arg)
		return err
	}
	return nil // the function before is kept: a message may be on its way to it
}

// OnPanic sets the function that panics are reported to, of functions that the library called. Without it they are printed.
func OnPanic(fn func(value any, stack []byte)) { raw.SetPanicHandler(fn) }

// What a wait for an event without a record does.
const (
	UnrecordedIgnore = raw.UnrecordedIgnore // nothing
	UnrecordedWarn   = raw.UnrecordedWarn   // it logs a warning
	UnrecordedError  = raw.UnrecordedError  // it returns ErrNotRecorded
)

// SetUnrecorded sets what a wait for an event without a record does, in all streams and threads.
func SetUnrecorded(mode int32) error {
	return call(func() Status { return raw.SetOption(raw.OptionUnrecordedMode, int64(mode)) })
}

// Unrecorded is what SetUnrecorded set last.
func Unrecorded() (int32, error) {
	mode, err := get(func(out *int64) Status { return raw.GetOption(raw.OptionUnrecordedMode, out) })
	return int32(mode), err
}

var onLeak atomic.Pointer[func(kind, stack string)]

// OnLeak reports, from now on, each object that the garbage collector finds without a Close, with the stack of its
// creation. The object stays: only its owner knows when work has ended that uses it. nil ends the reports, also of objects
// that were created before. Another function gets theirs.
func OnLeak(fn func(kind, stack string)) {
	if fn == nil {
		onLeak.Store(nil)
		return
	}
	onLeak.Store(&fn)
}

// An owned is the handle of an owner; 0 once that is closed. It has 16 bytes: smaller objects without pointers share blocks of the
// garbage collector, which finds them only together.
type owned struct {
	atomic.Uint64
	_ uint64
}

// An object owns a handle and nothing else. Pointers to the types that do are converted to it, nil too.
type object struct{ handle owned }

// own makes the owner of what a call has returned.
func own(kind string, handle uint64, err error) (*object, error) {
	if err != nil {
		return nil, err
	}
	o := &object{}
	o.handle.Store(handle)
	watch(o, kind, func(o *object) bool { return o.handle.Load() != 0 })
	return o, nil
}

func (o *object) load() uint64 {
	if o == nil {
		return 0
	}
	return o.handle.Load()
}

func closed[H ~uint64](o *object, destroy func(H) Status) error {
	if o == nil {
		return nil
	}
	return end(&o.handle, func(handle uint64) Status { return destroy(H(handle)) })
}

// watch has a forgotten object reported, at no cost until a function is set.
func watch[T any](object *T, kind string, open func(*T) bool) {
	if onLeak.Load() == nil {
		return
	}
	stack := string(debug.Stack())
	runtime.SetFinalizer(object, func(object *T) {
		if report := onLeak.Load(); report != nil && open(object) {
			(*report)(kind, stack)
		}
	})
}

func union[F ~uint32](flags []F) (all uint32) {
	for _, flag := range flags {
		all |= uint32(flag)
	}
	return all
}

func ask(fn func(*int32) Status) (bool, error) {
	number, err := get(fn)
	return number != 0, err
}

// get returns the output of a call.
func get[T any](fn func(*T) Status) (T, error) {
	out := new(T)
	err := call(func() Status { return fn(out) })
	return *out, err
}

// of binds the object of a call with one output.
func of[H, T any](fn func(H, *T) Status, handle H) (T, error) {
	return get(func(out *T) Status { return fn(handle, out) })
}

// sized binds the object of a call that fills a struct, whose first member is its size.
func sized[H, T any](fn func(H, *T) Status, handle H) (T, error) {
	return get(func(out *T) Status {
		*(*uint32)(unsafe.Pointer(out)) = uint32(unsafe.Sizeof(*out))
		return fn(handle, out)
	})
}

// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Module is loaded code with kernels.
type Module struct{ handle owned }

// A Kernel is borrowed from its module, and of no use after that is closed.
type Kernel struct{ handle raw.Kernel }

// Launch says how many threads a kernel gets, and bytes of dynamic shared memory. Zeros of Grid and Block count as 1. Its
// attributes are those of gs_launch_config_t in gpustream.h.
type Launch struct {
	Grid, Block  [3]uint32
	SharedMemory uint32
	// Cluster is how many blocks a cluster has; zeros for none.
	Cluster [3]uint32
	// Cooperative has all blocks run at the same time. Programmatic lets the kernel start before the kernel ahead has ended.
	Cooperative, Programmatic, RemoteDomain bool
	// Priority takes the place of the stream's.
	Priority *int32
	// ProgrammaticEvent is recorded by the launch, and may be complete before the kernel is. A node has none.
	ProgrammaticEvent *Event
}

// LoadModule loads PTX, cubin or fatbin; on the host backend a shared object. It may wait.
func LoadModule(device Device, image []byte) (*Module, error) {
	if len(image) == 0 { // which would make a path of it
		return nil, bare(ErrInvalidArgument, "the module image is empty")
	}
	text := append(append(make([]byte, 0, len(image)+1), image...), 0) // PTX ends with NUL
	return newModule(func(out *raw.Module) error {
		return call(func() Status { return load(device, &text[0], len(image), out) })
	})
}

// LoadModuleFile loads the file of a module.
func LoadModuleFile(device Device, path string) (*Module, error) {
	return newModule(func(out *raw.Module) error {
		return withText(path, func(path *byte) Status { return load(device, path, 0, out) })
	})
}

// load loads an image, or the file of a path if bytes is 0.
func load(device Device, text *byte, bytes int, out *raw.Module) Status {
	status := raw.ModuleLoad(raw.Device(device), uintptr(unsafe.Pointer(text)), uintptr(bytes), out)
	runtime.KeepAlive(text)
	return status
}

func newModule(load func(out *raw.Module) error) (*Module, error) {
	handle := new(raw.Module)
	err := load(handle)
	o, err := own("module", uint64(*handle), err)
	return (*Module)(o), err
}

// Kernel finds a kernel by its name.
func (m *Module) Kernel(name string) (Kernel, error) {
	handle := new(raw.Kernel)
	err := withText(name, func(name *byte) Status { return raw.ModuleGetKernel(m.Handle(), name, handle) })
	return Kernel{*handle}, err
}

// Handle is the handle of the C interface; 0 if the module is nil or closed.
func (m *Module) Handle() raw.Module { return raw.Module((*object)(m).load()) }

// Close unloads the module. It waits for its kernels.
func (m *Module) Close() error { return closed((*object)(m), raw.ModuleDestroy) }

func (l Launch) config() *raw.LaunchConfig {
	one := func(n uint32) uint32 { return max(n, 1) }
	flag := func(on bool, flag uint32) uint32 {
		if on {
			return flag
		}
		return 0
	}
	config := &raw.LaunchConfig{
		StructSize: uint32(unsafe.Sizeof(raw.LaunchConfig{})),
		GridX:      one(l.Grid[0]), GridY: one(l.Grid[1]), GridZ: one(l.Grid[2]),
		BlockX: one(l.Block[0]), BlockY: one(l.Block[1]), BlockZ: one(l.Block[2]),
		SharedMemoryBytes: l.SharedMemory,
		Flags: flag(l.Cooperative, raw.LaunchCooperative) | flag(l.Programmatic, raw.LaunchProgrammatic) |
			flag(l.RemoteDomain, raw.LaunchRemoteDomain) | flag(l.Priority != nil, raw.LaunchPriority),
		ClusterX: l.Cluster[0], ClusterY: l.Cluster[1], ClusterZ: l.Cluster[2],
	}
	if l.Priority != nil {
		config.Priority = *l.Priority
	}
	if l.ProgrammaticEvent != nil {
		config.ProgrammaticEvent = l.ProgrammaticEvent.Handle()
	}
	return config
}

// arguments holds the values of a kernel's arguments, which a launch copies.
type arguments struct {
	values   [][8]byte
	pointers []unsafe.Pointer
	memory   []Memory
}

func pack(list []any) (*arguments, error) {
	a := &arguments{values: make([][8]byte, len(list)), pointers: make([]unsafe.Pointer, len(list)+1)}
	for i, one := range list {
		word, to := uint64(0), a.values[i][:]
		switch value := one.(type) {
		case int32:
			word = uint64(uint32(value))
		case uint32:
			word = uint64(value)
		case int64:
			word = uint64(value)
		case uint64:
			word = value
		case uintptr:
			word = uint64(value)
		case float32:
			word = uint64(math.Float32bits(value))
		case float64:
			word = math.Float64bits(value)
		case Memory:
			if isClosed(value) {
				return nil, bare(ErrInvalidArgument, fmt.Sprintf("argument %d is memory that is nil or closed", i))
			}
			word = uint64(value.Address())
			a.memory = append(a.memory, value)
		default:
			return nil, bare(ErrInvalidArgument, fmt.Sprintf("argument %d is a %T, which has no size in C", i, one))
		}
		binary.NativeEndian.PutUint64(to, word) // little-endian, as every platform of the library
		a.pointers[i] = unsafe.Pointer(&a.values[i])
	}
	return a, nil
}

// Launch starts a kernel in stream order. Arguments are int32, uint32, int64, uint64, uintptr, float32, float64 or Memory,
// of the types of the kernel's parameters.
func (s *Stream) Launch(kernel Kernel, how Launch, list ...any) error {
	packed, err := pack(list)
	if err != nil {
		return err
	}
	err = s.using(packed.memory, func(stream raw.Stream) Status {
		return raw.KernelLaunch(kernel.handle, how.config(), &packed.pointers[0], stream)
	})
	runtime.KeepAlive(packed)
	runtime.KeepAlive(how)
	return err
}

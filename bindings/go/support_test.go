// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A process of its own runs the case of this name.
const caseEnv = "GPUSTREAM_GO_CASE"

var cases = map[string]func() error{}

func buildFolder() string {
	if folder := os.Getenv("GPUSTREAM_BUILD_DIR"); folder != "" {
		return folder
	}
	folder, _ := filepath.Abs("../../build/release")
	return folder
}

func TestMain(m *testing.M) {
	if name := os.Getenv(caseEnv); name != "" {
		if err := cases[name](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("case passed")
		return // as a program that ends while the library's threads live
	}
	if os.Getenv("GPUSTREAM_LIBRARY") == "" {
		os.Setenv("GPUSTREAM_LIBRARY", buildFolder()+"/libgpustream.so.0")
	}
	if os.Getenv("GPUSTREAM_BACKEND") == "" {
		os.Setenv("GPUSTREAM_BACKEND", "host")
	}
	os.Setenv("GPUSTREAM_HOST_DEVICES", "2")
	os.Exit(m.Run())
}

// inProcess runs a case in a process of its own.
func inProcess(t *testing.T, name string, env ...string) string {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.WaitDelay = time.Minute
	command.Env = append(append(os.Environ(), env...), caseEnv+"="+name)
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "case passed") {
		t.Fatalf("%v\n%s", err, output)
	}
	return string(output)
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, status Status, err error) {
	t.Helper()
	if !errors.Is(err, status) {
		t.Fatalf("%v, wanted %v", err, status)
	}
}

func newTestStream(t *testing.T, options ...StreamOption) *Stream {
	t.Helper()
	s := must[*Stream](t)(NewStream(options...))
	t.Cleanup(func() { ok(t, s.Close()) })
	return s
}

func newTestEvent(t *testing.T, flags ...EventFlag) *Event {
	t.Helper()
	e := must[*Event](t)(NewEvent(flags...))
	t.Cleanup(func() { ok(t, e.Close()) })
	return e
}

// A gate holds the stream that it closed until it is opened.
type gate struct{ address uintptr }

func native(t *testing.T, function string, argument uintptr) uintptr {
	t.Helper()
	handle, reason := dl.Open(buildFolder()+"/tests/parity/libgpustream_parity_native.so", false)
	if handle == 0 {
		t.Fatal(reason)
	}
	return dl.Call(dl.Symbol(handle, function), argument, 0, 0)
}

func hold(t *testing.T, s *Stream) *gate {
	t.Helper()
	g := &gate{native(t, "parity_gate_new", 0)}
	handle, _ := dl.Open(buildFolder()+"/tests/parity/libgpustream_parity_native.so", false)
	ok(t, call(func() Status {
		return raw.StreamLaunchHost(s.Handle(), dl.Symbol(handle, "parity_gate_wait"), g.address)
	}))
	t.Cleanup(func() { g.open(t) })
	return g
}

func (g *gate) open(t *testing.T) { native(t, "parity_gate_open", g.address) }

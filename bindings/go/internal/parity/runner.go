// SPDX-License-Identifier: Apache-2.0

// Package parity runs the cases of tests/parity through the raw layer.
package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

// Patience bounds the repetitions of "until"; it measures nothing.
const patience = time.Minute

type parameter struct {
	Name, Type, Direction, Count, Struct string
	Callback                             map[string]any
}

type function struct {
	Name, Result string
	Parameters   []parameter
}

type structDescription struct {
	Name   string
	Size   int
	Sized  bool
	Fields []struct {
		Name, Type          string
		Offset, Size, Array int
	}
}

// A Runner has the description of the interface and the variables of a case.
type Runner struct {
	functions map[string]function
	structs   map[string]structDescription
	constants map[string]value
	names     map[string]value
	native    uintptr
}

// Document is cases.json or a file of its form.
type Document struct {
	Constants map[string]any
	Cases     []Case
}

// A Case has steps, which run in a process of its own.
type Case struct {
	Name      string
	Env       map[string]string
	FailsWith string `json:"fails_with"`
	Steps     []any
}

func (c Case) forks() bool {
	return slices.ContainsFunc(c.Steps, func(step any) bool { return step.(map[string]any)["fork"] != nil })
}

// Read reads a file of JSON with numbers as they are written.
func Read(path string, into any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	return decoder.Decode(into)
}

// NewRunner reads the description in a source tree and opens the native library of a build.
func NewRunner(root, native string, constants map[string]any) (*Runner, error) {
	var api struct {
		Functions []function
		Structs   []structDescription
	}
	if err := Read(filepath.Join(root, "api/gpustream.json"), &api); err != nil {
		return nil, err
	}
	r := &Runner{map[string]function{}, map[string]structDescription{}, map[string]value{}, map[string]value{}, 0}
	for _, one := range api.Functions {
		r.functions[one.Name] = one
	}
	for _, one := range api.Structs {
		r.structs[one.Name] = one
	}
	for name, word := range constants {
		v, err := r.resolve(word)
		if err != nil {
			return nil, err
		}
		r.constants[name] = v
	}
	if err := raw.Load(""); err != nil {
		return nil, err
	}
	handle, reason := dl.Open(native, false)
	if handle == 0 {
		return nil, errors.New(reason)
	}
	r.native = handle
	r.names["native"] = value{kind: text, text: native}
	return r, nil
}

// Run runs the steps on one OS thread.
func (r *Runner) Run(steps []any) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return r.steps(steps)
}

func (r *Runner) steps(steps []any) error {
	for i, one := range steps {
		step := one.(map[string]any)
		op := ""
		if name, ok := step["op"].(string); ok {
			op = " (" + name + ")"
		}
		if err := r.step(step); err != nil {
			return fmt.Errorf("step %d%s: %w", i+1, op, err)
		}
	}
	return nil
}

func (r *Runner) step(step map[string]any) error {
	if steps, ok := step["thread"].([]any); ok {
		result := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			result <- r.steps(steps)
		}()
		return <-result
	}
	// No Go runs in a forked child: another thread of its runtime may have held a lock at the fork.
	if _, ok := step["fork"]; ok {
		return nil
	}
	if times, ok := step["repeat"].(json.Number); ok {
		n, err := strconv.Atoi(string(times))
		for ; n > 0 && err == nil; n-- {
			err = r.steps(step["steps"].([]any))
		}
		return err
	}
	name, _ := step["op"].(string)
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		found, err := r.call(name, step)
		if err != nil {
			return err
		}
		err = r.judge(step, found)
		if err == nil || step["until"] != true || time.Now().After(deadline) {
			return err
		}
	}
}

func (r *Runner) judge(step map[string]any, found outcome) error {
	if found.status != nil {
		wanted, ok := step["expect"].(string)
		if !ok {
			wanted = "GS_OK"
		}
		if name := raw.StatusName(*found.status); name != wanted {
			return fmt.Errorf("status is %s, wanted %s%s", name, wanted, detail(*found.status))
		}
	}
	if wanted, ok := step["returns"]; ok {
		if found.returned == nil {
			return errors.New("the function returns a status")
		}
		if err := r.check(wanted, *found.returned, "the result"); err != nil {
			return err
		}
	}
	if wanted, ok := step["value"]; ok {
		all, isList := wanted.([]any)
		if !isList {
			all = []any{wanted}
		}
		if len(all) != len(found.outputs) {
			return fmt.Errorf("%d outputs, but %d expected values", len(found.outputs), len(all))
		}
		for i, one := range all {
			if err := r.check(one, found.outputs[i], fmt.Sprintf("output %d", i+1)); err != nil {
				return err
			}
		}
	}
	names, _ := step["out"].([]any)
	for i, name := range names {
		if name, ok := name.(string); ok {
			r.names[name] = found.outputs[i]
		}
	}
	return nil
}

func detail(status raw.Status) string {
	info := raw.ErrorInfo{StructSize: uint32(unsafe.Sizeof(raw.ErrorInfo{}))}
	if status == raw.Ok || raw.LastError(&info) != raw.Ok {
		return ""
	}
	return ": " + raw.TextIn(info.Message[:])
}

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

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

const forkedLibrary = "GPUSTREAM_TEST_FORKED"

func init() {
	cases["absent"] = func() error {
		_, err := NewStream()
		var e *Error
		var load *raw.LoadError
		if !errors.As(err, &e) || e.Status != ErrUnavailable || e.Reason != raw.ReasonNoLibrary || !errors.As(err, &load) ||
			len(load.Attempts) != 1 || !strings.Contains(err.Error(), os.Getenv("GPUSTREAM_LIBRARY")) {
			return fmt.Errorf("wrong: %#v", err)
		}
		_, err = NewEvent()
		for _, err := range []error{err, Init(), Current.Synchronize(forever), Current.Notify(func(error) {}), SetLog(nil)} {
			if !errors.Is(err, ErrUnavailable) {
				return fmt.Errorf("wrong: %v", err)
			}
		}
		if Version() != "" || LibraryPath() != "" || On(Host, 1).Ordinal() != 0 {
			return errors.New("what is not there has an answer")
		}
		for name, want := range map[string]string{"/nonexistent/too.so": "/nonexistent/too.so", os.Args[0] + "\x00": "NUL"} {
			if err := Load(name); !strings.Contains(fmt.Sprint(err), want) {
				return fmt.Errorf("wrong: %v", err)
			}
		}
		return nil
	}
	cases["abi"] = func() error {
		_, err := NewStream()
		if !errors.Is(err, ErrNotSupported) || !errors.Is(err, raw.ErrWrongABI) || !strings.Contains(err.Error(), "it has 99") {
			return fmt.Errorf("wrong: %v", err)
		}
		return nil
	}
	cases["other"] = func() error {
		if _, err := NewStream(); !errors.Is(err, ErrUnavailable) || !errors.Is(err, raw.ErrNotGpustream) {
			return fmt.Errorf("wrong: %v", err)
		}
		return nil
	}
	cases["old"] = func() error {
		_, err := NewEvent()
		var e *Error
		if !errors.As(err, &e) || e.Reason != raw.ReasonNoSymbol || e.Function != "gs_event_create" {
			return fmt.Errorf("wrong: %v", err)
		}
		return nil
	}
	cases["again"] = func() error {
		if err := Load(os.Getenv("GPUSTREAM_LIBRARY")); err != nil {
			return err
		}
		if err := Load("/nonexistent/another.so"); !errors.Is(err, raw.ErrAlready) {
			return fmt.Errorf("wrong: %v", err)
		}
		return nil
	}
	cases["exit"] = func() error { // with work, callbacks and waits that never end
		s, err := NewStream()
		if err != nil {
			return err
		}
		go s.Synchronize(forever)
		return errors.Join(s.Sleep(1<<40), s.Notify(func(error) {}))
	}
	cases["fork"] = forked
}

func TestThereIsNoLibrary(t *testing.T) {
	inProcess(t, "absent", "GPUSTREAM_LIBRARY=/nonexistent/libgpustream.so.0")
}

func TestSecondLibraryIsRefused(t *testing.T) { inProcess(t, "again") }

func TestExitWithPendingWork(t *testing.T) { inProcess(t, "exit") }

func TestForkedChild(t *testing.T) {
	library := filepath.Join(t.TempDir(), "forked_child.so")
	output, err := exec.Command(compiler(t), "-shared", "-fPIC", "-I../../include", "-o", library, "testdata/forked_child.c",
		os.Getenv("GPUSTREAM_LIBRARY")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	inProcess(t, "fork", forkedLibrary+"="+library)
}

func compiler(t *testing.T) string { return must[string](t)(exec.LookPath("cc")) }

// TestOtherLibraries uses libraries of one function.
func TestOtherLibraries(t *testing.T) {
	for name, source := range map[string]string{
		"abi": "unsigned gs_abi_version(void) { return 99; }", "other": "int nothing;",
		"old": "unsigned gs_abi_version(void) { return 1; }",
	} {
		t.Run(name, func(t *testing.T) {
			file, library := filepath.Join(t.TempDir(), "one.c"), filepath.Join(t.TempDir(), "libgpustream.so.0")
			ok(t, os.WriteFile(file, []byte(source), 0o600))
			ok(t, exec.Command(compiler(t), "-shared", "-fPIC", "-o", library, file).Run())
			inProcess(t, name, "GPUSTREAM_LIBRARY="+library)
		})
	}
}

// forked starts a child from C (testdata/forked_child.c): in one, Go cannot run.
func forked() error {
	s, err := NewStream()
	if err != nil {
		return err
	}
	e, err := NewEvent()
	if err != nil {
		return err
	}
	handle, reason := dl.Open(os.Getenv(forkedLibrary), false)
	if handle == 0 {
		return errors.New(reason)
	}
	child := dl.Symbol(handle, "forked_child")
	if child == 0 {
		return errors.New("there is no forked_child")
	}
	if status := int32(dl.Call(child, uintptr(s.Handle()), uintptr(e.Handle()), 0)); status != 0 {
		return fmt.Errorf("the child ended with %d", status)
	}
	if err := s.Record(e); err != nil {
		return err
	}
	return e.Synchronize(forever)
}

// The race detector sees what goroutines do that make the first call at the same time.
func TestFirstCallsOfManyGoroutines(t *testing.T) { inProcess(t, "first calls") }

func init() {
	cases["first calls"] = func() error {
		begin, failed := make(chan bool), make(chan error)
		for range 16 {
			go func() {
				<-begin
				_, err := DeviceCount(Host)
				failed <- err
			}()
		}
		close(begin)
		var all error
		for range 16 {
			all = errors.Join(all, <-failed)
		}
		return all
	}
}

// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

const (
	root    = "../../../.."
	caseEnv = "GPUSTREAM_PARITY_CASE" // FILE:NAME, in the process of one case
	builds  = "GPUSTREAM_BUILD_DIR"
)

func build() string {
	if folder := os.Getenv(builds); folder != "" {
		return folder
	}
	folder, _ := filepath.Abs(root + "/build/release")
	return folder
}

func TestMain(m *testing.M) {
	if named := os.Getenv(caseEnv); named != "" {
		if err := runOne(filepath.Dir(named), filepath.Base(named)); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runOne(path, name string) error {
	var document Document
	if err := Read(path, &document); err != nil {
		return err
	}
	r, err := NewRunner(root, build()+"/tests/parity/libgpustream_parity_native.so", document.Constants)
	if err != nil {
		return err
	}
	for _, one := range document.Cases {
		if one.Name == name {
			return r.Run(one.Steps)
		}
	}
	return os.ErrNotExist
}

func process(t *testing.T, path string, one Case) (string, error) {
	command := exec.Command(os.Args[0])
	command.WaitDelay = 2 * time.Minute
	command.Env = append(os.Environ(), caseEnv+"="+path+"/"+one.Name, "GPUSTREAM_BACKEND=host", "GPUSTREAM_HOST_DEVICES=2",
		"GPUSTREAM_LIBRARY="+build()+"/libgpustream.so.0")
	for name, value := range one.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	output, err := command.CombinedOutput()
	return string(output), err
}

func cases(t *testing.T, file string) (string, []Case) {
	path := filepath.Join(root, "tests/parity", file)
	var document Document
	if err := Read(path, &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Cases) == 0 {
		t.Fatal("there are no cases")
	}
	return path, document.Cases
}

func TestCases(t *testing.T) {
	path, all := cases(t, "cases.json")
	for _, one := range all {
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			if output, err := process(t, path, one); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func TestCasesThatMustFail(t *testing.T) {
	path, all := cases(t, "wrong_cases.json")
	for _, one := range all {
		if one.forks() {
			continue // runner.go skips the child, so the case would pass
		}
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			output, err := process(t, path, one)
			if err == nil || !regexp.MustCompile(one.FailsWith).MatchString(output) {
				t.Errorf("%v, wanted %q\n%s", err, one.FailsWith, output)
			}
		})
	}
}

// TestEveryFunction compares the table with the description.
func TestEveryFunction(t *testing.T) {
	var api struct {
		Functions []struct{ Name json.RawMessage }
	}
	if err := Read(root+"/api/gpustream.json", &api); err != nil {
		t.Fatal(err)
	}
	if len(api.Functions) != len(functions) {
		t.Errorf("%d functions are described, %d are in the table", len(api.Functions), len(functions))
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func build() string {
	if folder := os.Getenv("GPUSTREAM_BUILD_DIR"); folder != "" {
		return folder
	}
	folder, _ := filepath.Abs("../../../../build/release")
	return folder
}

// This program, when the variable is set.
func TestMain(m *testing.M) {
	if os.Getenv("GPUSTREAM_GO_PIPELINE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func pipelineOf(arguments ...string) (string, string, int) {
	command := exec.Command(os.Args[0], arguments...)
	command.Env = append(os.Environ(), "GPUSTREAM_GO_PIPELINE=1", "GPUSTREAM_BACKEND=host", "GPUSTREAM_CHECK=abort",
		"GPUSTREAM_LIBRARY="+build()+"/libgpustream.so.0")
	var out, errors strings.Builder
	command.Stdout, command.Stderr = &out, &errors
	_ = command.Run() // its status is looked at
	return out.String(), errors.String(), command.ProcessState.ExitCode()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// The other program is that of examples/pipeline, in C++.
func verdict(t *testing.T, file string) string {
	t.Helper()
	output, err := exec.Command(build()+"/bin/pipeline", file, "--backend", "host").Output()
	if err != nil || !strings.HasPrefix(lastLine(string(output)), "CRC-32 ") {
		t.Fatal(err, string(output))
	}
	return lastLine(string(output))
}

func TestResultIsThatOfTheOtherProgram(t *testing.T) {
	file, kernels := build()+"/libgpustream.so.0", build()+"/bin/pipeline_kernels.so"
	expected := verdict(t, file)
	for _, one := range [][2]string{{"1", "65536"}, {"2", "100000"}, {"7", "250001"}, {"6", "1073741824"}} {
		out, errors, code := pipelineOf("--streams", one[0], "--chunk", one[1], "--kernels", kernels, file)
		if code != 0 || lastLine(out) != expected {
			t.Errorf("%v: %s%s, wanted %s", one, out, errors, expected)
		}
	}
	for _, bytes := range []int{1, 16383, 16384, 16385} {
		small := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(small, []byte(strings.Repeat("gpustream", bytes)[:bytes]), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errors, code := pipelineOf("--kernels", kernels, small)
		if expected := verdict(t, small); code != 0 || lastLine(out) != expected {
			t.Errorf("%d bytes: %s%s, wanted %s", bytes, out, errors, expected)
		}
	}
}

func TestFailuresHaveATextAndAStatus(t *testing.T) {
	file, kernels := build()+"/libgpustream.so.0", build()+"/bin/pipeline_kernels.so"
	for wanted, arguments := range map[string][]string{
		"usage":             {},
		"no such file":      {"--kernels", kernels, "/nonexistent/file"},
		"the file is empty": {"--kernels", kernels, "/dev/null"},
		"gs_module_load":    {"--kernels", "/nonexistent.so", file},
		"crc_and_histogram": {"--kernels", build() + "/tests/parity/libgpustream_parity_native.so", file},
	} {
		if _, errors, code := pipelineOf(arguments...); code != 2 || !strings.Contains(errors, wanted) {
			t.Errorf("%s: %d, %s", wanted, code, errors)
		}
	}
}

func TestWrongResultIsNoticed(t *testing.T) {
	folder := t.TempDir()
	source, object := filepath.Join(folder, "wrong.c"), filepath.Join(folder, "wrong.so")
	code := "void crc_and_histogram(const void *context, void **arguments) { (void)context; (void)arguments; }"
	if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("cc", "-shared", "-fPIC", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatal(err, string(output))
	}
	_, errors, status := pipelineOf("--kernels", object, build()+"/libgpustream.so.0")
	if status != 1 || !strings.Contains(errors, "the result is wrong") {
		t.Error(status, errors)
	}
}

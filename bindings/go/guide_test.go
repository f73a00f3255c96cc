// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuide runs the programs of the guide.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/go.md")
	ok(t, err)
	programs := strings.Split(string(page), "```go\n")[1:]
	if len(programs) == 0 {
		t.Fatal("there are no programs")
	}
	folder, err := os.MkdirTemp(".", "guide_test_")
	ok(t, err)
	defer os.RemoveAll(folder)
	home, err := exec.Command("go", "env", "GOROOT").Output()
	ok(t, err)
	for _, program := range programs {
		text, _, _ := strings.Cut(program, "```")
		file := filepath.Join(folder, "main.go")
		ok(t, os.WriteFile(file, []byte(text), 0o600))
		if unformatted, err := exec.Command(filepath.Join(strings.TrimSpace(string(home)), "bin/gofmt"), "-l", file).CombinedOutput(); err != nil || len(unformatted) > 0 {
			t.Errorf("gofmt: %v %s", err, unformatted)
		}
		output, err := exec.Command("go", "run", file).CombinedOutput()
		if err != nil || !strings.Contains(string(output), "done: true") {
			t.Errorf("%v\n%s", err, output)
		}
	}
}

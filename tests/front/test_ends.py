# SPDX-License-Identifier: Apache-2.0
"""What the user's keys, signals, files and streams do to gpustream run and shake."""
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from front_support import COMMAND, RACER, USER, run

# Ends with 10 and the number of interrupts. The command, which stands still until the first one, passes the second signal on after it.
COUNTS_INTERRUPTS = """
import os, signal, sys
seen, command = [], os.getppid()
def interrupted(*_):
    seen.append(1)
    if len(seen) == 1:
        os.kill(command, signal.SIGTERM)
        os.kill(command, signal.SIGCONT)
signal.signal(signal.SIGINT, interrupted)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(10 + len(seen)))
os.kill(command, signal.SIGSTOP)
print("ready", flush=True)
while True:
    signal.pause()
"""
# Says which of two signals come, and ends after the second.
COUNTS_SIGNALS = """
import signal, sys
def came(number, _):
    print(number, flush=True)
    if number == signal.SIGUSR2:
        sys.exit(0)
for number in signal.SIGUSR1, signal.SIGUSR2:
    signal.signal(number, came)
print("ready", flush=True)
while True:
    signal.pause()
"""


def ended(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *arguments, **how):
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=200, check=False, cwd=self.folder, **how)

    def wait_for(self, what):
        for _ in range(6000):
            if what():
                return
            time.sleep(0.01)
        self.fail("waited for a minute")


class Signals(InFolder):
    def test_a_key_of_the_terminal_is_one_signal(self):
        child, terminal = pty.fork()
        if child == 0:
            os.execv(COMMAND, [COMMAND, "run", "--", sys.executable, "-c", COUNTS_INTERRUPTS])
        said = b""
        while b"ready" not in said:
            said += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        self.assertEqual(os.WEXITSTATUS(os.waitpid(child, 0)[1]), 11)
        os.close(terminal)

    def test_other_signals_reach_the_program(self):
        with subprocess.Popen([COMMAND, "run", "--", sys.executable, "-c", COUNTS_SIGNALS], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            for number in signal.SIGUSR1, signal.SIGUSR2:
                process.send_signal(number)
                self.assertEqual(process.stdout.readline(), f"{int(number)}\n")
            self.assertEqual(process.wait(60), 0)

    def test_children_whose_end_is_ignored(self):
        done = self.command("run", "--", "/bin/sh", "-c", "exit 7", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(done.returncode, 7)

    def test_the_end_of_shake(self):
        """It finds nothing in a run that the user has ended, and ends that with all its processes."""
        program = f"{USER} work 3 || exit; [ -e first ] || exec touch first; sleep 1000 & echo $! >next; mv next later; wait"
        temporary = self.folder / "temporary"
        temporary.mkdir()
        with subprocess.Popen([COMMAND, "shake", "--", "/bin/sh", "-c", program], stdout=subprocess.PIPE, text=True, cwd=self.folder,
                              env={**os.environ, "TMPDIR": str(temporary)}) as shake:
            self.wait_for((self.folder / "later").exists)
            shake.send_signal(signal.SIGTERM)
            self.assertEqual(shake.communicate(timeout=100)[0], "")
        self.assertEqual(shake.returncode, -signal.SIGTERM)
        self.assertEqual(os.listdir(temporary), [])
        sleeper = (self.folder / "later").read_text().strip()
        self.wait_for(lambda: ended(sleeper))


class Shake(InFolder):
    def shake(self, program, *options, **how):
        return self.command("shake", *options, "--", "/bin/sh", "-c", program, **how)

    def test_an_exit_code_is_no_signal(self):
        done = self.shake(f"{USER} work 1; [ ! -e first ] || exit 200; touch first", "--json")
        self.assertEqual(json.loads(done.stdout)["failure"], "exit code 200")

    def test_a_file_that_is_never_written(self):
        done = self.shake(f"{USER} work 1", "--compare", "none")
        self.assertEqual(done.returncode, 3)
        self.assertIn("'none' of --compare cannot be read when the program has ended: No such file", done.stderr)

    def test_input(self):
        reads = f"read line && {USER} work 1"
        self.assertEqual(self.shake(reads, input="a line\n").returncode, 2)  # of a pipe the first run would leave nothing
        (self.folder / "lines").write_text("ahead\na line\n")
        with open(self.folder / "lines", "rb") as lines:
            os.lseek(lines.fileno(), len("ahead\n"), os.SEEK_SET)
            self.assertEqual(self.shake(f'{reads} && [ "$line" = "a line" ]', "--runs", "3", stdin=lines).returncode, 0)

    def test_json_alone_is_written(self):
        done = self.shake(f"echo noise; {RACER} producer right", "--runs", "2", "--json")
        self.assertFalse(json.loads(done.stdout)["found"])
        self.assertEqual(done.stderr, "noise\n")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, "shake", "--runs", "1", "--", RACER, "producer", "right"], stdout=full, check=False)
        self.assertEqual(done.returncode, 3)


class Files(InFolder):
    def test_names_are_of_the_command_s_folder(self):
        elsewhere = ("--", "/bin/sh", "-c", f"cd / && {USER} work 1")
        self.assertEqual(self.command("run", "--log=a.log", *elsewhere).returncode, 0)
        self.assertIn("fills 1000 bytes", self.command("explain", "a.log").stdout)
        done = self.command("run", "--stats", *elsewhere, env={**os.environ, "TMPDIR": "."})
        self.assertIn("calls of the driver", done.stderr)

    def test_files_that_cannot_be_written(self):
        (self.folder / "taken").mkdir()
        for option in "--trace", "--learn":
            for file, why in ("none/a", "No such file or directory"), ("taken", "it is a folder or a device"):
                done = self.command("run", option, file, "--", "/bin/sh", "-c", "touch started")
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr, f"gpustream run: '{self.folder}/{file}' cannot be written: {why}\n")
        self.assertFalse((self.folder / "started").exists())

    def test_numbers_of_devices(self):
        for number in "", "2x", "0", "65", "4294967297", "99999999999999999999":
            self.assertIn("from 1 to 64 devices", run("/bin/true", options=(f"--simulate={number}",)).stderr)

    def test_explain_by_the_number_of_the_starter(self):
        with subprocess.Popen([COMMAND, "run", "--log", "--", USER, "hang"], stdout=subprocess.PIPE, text=True) as starter:
            self.assertEqual(starter.stdout.readline(), "waiting\n")
            self.wait_for(lambda: 'is in "cuStreamSynchronize"' in self.command("explain", str(starter.pid)).stdout)
            self.assertIn("</svg>", self.command("explain", "--svg", str(starter.pid)).stdout)
            starter.terminate()


if __name__ == "__main__":
    unittest.main()

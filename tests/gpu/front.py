#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gpustream run` and `gpustream shake` on a GPU: front.py COMMAND NVCC_PROGRAM COSTS_PROGRAM SECONDS [PART or PATTERN...]. Prints what docs/results keeps."""
import concurrent.futures
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
COMMAND, CUDA_PROGRAM, COSTS = sys.argv[1:4]
DEVICES = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout.count("UUID: GPU-")
END = time.time() + float(sys.argv[4])
ONLY = sys.argv[5:]  # parts, or programs to shake: then nothing else is measured
PYTHON = ["default_stream", "event_too_early", "side_producer", "freed_early", "graph_input", "pinned_reused", "triton_kernel", "double_buffer",
          "side_consumer", "comms_stream"]
CUDA = ["event_reused", "graph_edge", *(["two_devices"] if DEVICES > 1 else [])]
# A line of input starts a round, so that processes take turns.
TRAIN = """
import sys, time, torch
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.randn(256, 1024, device="cuda")
def step():
    optimizer.zero_grad()
    model(data).square().mean().backward()
    optimizer.step()
for _ in range(20): step()
torch.cuda.synchronize()
print("ready", flush=True)
for _ in sys.stdin:
    began = time.perf_counter()
    for _ in range(20): step()
    torch.cuda.synchronize()
    print((time.perf_counter() - began) / 20 * 1e6, flush=True)
"""
JAX = "import jax, jax.numpy as jnp; f = jax.jit(lambda x: (x @ x).sum()); print(float(f(jnp.ones((512, 512)))))"


def program(pattern, how):
    return [CUDA_PROGRAM, pattern, how] if pattern in CUDA else [sys.executable, str(HERE / "missing_waits.py"), pattern, how]


def plain(pattern, how):
    return subprocess.run(program(pattern, how), check=False, capture_output=True).returncode


def shake(pattern, how):
    began = time.time()
    runs = "10" if how == "wrong" or pattern in CUDA else "5"
    try:
        done = subprocess.run([COMMAND, "shake", "--json", "--runs", runs, "--", *program(pattern, how)], capture_output=True, text=True,
                              check=False, timeout=max(1, END - time.time()))
    except subprocess.TimeoutExpired:
        return pattern, how, "no time", {}, time.time() - began
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {"trouble": (done.stdout + done.stderr)[-300:]}
    return pattern, how, done.returncode, report, time.time() - began


def costs():
    print("\n## Nanoseconds that the front adds to a call, in pairs in one process\n")
    print("The least of 201 rounds of the driver's function and of the front's, and the median of their differences.\n")
    print("| options | call | driver | front | difference |\n|---|---|---|---|---|")
    for option in ("", "--log", "--stats", "--captures"):
        done = subprocess.run([COMMAND, "run", *option.split(), "--", COSTS], capture_output=True, text=True, check=False)
        for name, real, front, difference in re.findall(r"^(cu\w+) (\S+) (\S+) (\S+)$", done.stdout, re.M):
            print(f"| {option or 'none'} | {name} | {real} | {front} | {difference} |")
        if done.returncode != 0:
            print(f"| {option} | {done.returncode}: {done.stderr[-300:]} | | | |")


def training():
    """One process for each way, which take turns of 20 steps, on one processor: a round of all ways is a pair of numbers for each."""
    ways = {"driver": [], "run": [COMMAND, "run", "--"], "run --log": [COMMAND, "run", "--log", "--"]}
    print("\n## A training step in PyTorch\n\nEight layers, limited by the host. Three processes take turns of 20 steps, 60 times; five such sets of processes.\n")
    print("| set | " + " | ".join(f"{way}, us (median)" for way in ways) + " | " + " | ".join(f"{way}, more than the driver (median of turns)" for way in list(ways)[1:])
          + " |\n|" + "---|" * (2 * len(ways)))
    for number in range(5):
        processes = {way: subprocess.Popen(["taskset", "-c", "2", *prefix, sys.executable, "-c", TRAIN], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True) for way, prefix in ways.items()}
        for process in processes.values():
            assert process.stdout.readline() == "ready\n"
        took = {way: [] for way in ways}
        for turn in range(60):
            order = list(ways)[turn % 3:] + list(ways)[:turn % 3]
            for way in order:
                processes[way].stdin.write("go\n")
                processes[way].stdin.flush()
                took[way].append(float(processes[way].stdout.readline()))
        for process in processes.values():
            process.communicate("")
        more = {way: statistics.median(mine / plain - 1 for mine, plain in zip(took[way], took["driver"])) for way in list(ways)[1:]}
        print(f"| {number + 1} | " + " | ".join(f"{statistics.median(t):.1f}" for t in took.values()) + " | "
              + " | ".join(f"{part * 100:+.1f} %" for part in more.values()) + " |", flush=True)


def reports(text):
    """The first lines of the reports of `--check`, without what differs from run to run."""
    found = re.findall(r"^gpustream: (?!process|\d|check)(.*)", text, re.M)
    return len(found), re.sub(r"0x[0-9a-f]+", "0x…", found[0])[:160] if found else ""


def check(job):
    """What `--check` and `--check=kernels`, after a run that learns, say of a program."""
    pattern, how = job
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        learnt = f"{folder}/learnt"
        for options in (["--check"], ["--learn", learnt], ["--check=kernels", "--learnt", learnt]):
            exit_code = [] if "--learn" in options else ["--error-exitcode", "77"]
            done = subprocess.run([COMMAND, "run", *options, *exit_code, "--", *program(pattern, how)], capture_output=True, text=True, check=False, timeout=150)
            answers.append((done.returncode, *reports(done.stderr)))
    return pattern, how, answers


def checks():
    print("\n## `--check`, `--learn`, and `--check=kernels` with what was learnt\n\nExit code 77: something was reported.\n")
    print("| program | variant | --check: code, reports | --learn: code | --check=kernels: code, reports | the first report |\n|---|---|---|---|---|---|")
    jobs = [(pattern, how) for pattern in CUDA + PYTHON for how in ("wrong", "right")]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for pattern, how, (plain_check, learn, kernels) in pool.map(check, jobs):
            print(f"| {pattern} | {how} | {plain_check[0]}, {plain_check[1]} | {learn[0]} | {kernels[0]}, {kernels[1]} | {plain_check[2] or kernels[2]} |", flush=True)


def device_times():
    print("\n## `--trace` with `--device-times`\n\n| program | spans of calls | spans of work | not timed | largest error_ns | shortest and longest span of work, us |\n|---|---|---|---|---|---|")
    jobs = [("PyTorch", program("graph_input", "right")), ("CuPy", program("default_stream", "right")), ("Triton", program("triton_kernel", "right")),
            ("JAX", [sys.executable, "-c", JAX]), ("CUDA C++", program("event_reused", "right"))]
    with tempfile.TemporaryDirectory() as folder:
        for name, command in jobs:
            path = pathlib.Path(folder) / f"{name}.json"
            done = subprocess.run([COMMAND, "run", "--trace", str(path), "--device-times", "--", *command], capture_output=True, text=True, check=False, timeout=150)
            files = sorted(pathlib.Path(folder).glob(f"{name}*.json"))
            if done.returncode != 0 or not files:
                print(f"| {name}: exit code {done.returncode}, {len(files)} files: {done.stderr[-300:]} | | | | | |")
                continue
            trace = json.loads(files[0].read_text())
            events = trace["traceEvents"] if isinstance(trace, dict) else trace
            work = [event for event in events if event.get("cat") == "gpu_work" and event.get("ph") == "X"]
            calls = sum(event.get("cat") == "cuda_driver" and event.get("ph") == "X" for event in events)
            spans = sorted(event["dur"] for event in work)
            errors = [event["args"]["error_ns"] for event in work if "error_ns" in event.get("args", {})]
            untimed = re.search(r'"ranges_not_timed": *"?(\d+)', files[0].read_text())
            print(f"| {name} | {calls} | {len(work)} | {untimed.group(1) if untimed else '-'} | {max(errors, default='-')} | "
                  f"{spans[0] if spans else '-'} to {spans[-1] if spans else '-'} |", flush=True)


def see(job):
    name, command = job
    done = subprocess.run([COMMAND, "run", "--stats", "--log", "--syncs", "--captures", "--leaks", "--", *command],
                          capture_output=True, text=True, check=False, timeout=100)
    return f"{name}: exit code {done.returncode}\n\n```text\n{done.stdout[-300:]}{shorten(done.stderr)}```\n"


def frameworks():
    print("\n## What is seen\n")
    jobs = [("PyTorch", program("graph_input", "right")), ("CuPy", program("default_stream", "right")), ("Triton", program("triton_kernel", "right")),
            ("JAX", [sys.executable, "-c", JAX]), ("CUDA C++", program("event_reused", "right"))]
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        for text in pool.map(see, jobs):
            print(text, flush=True)


def shorten(text):
    lines = [line for line in text.splitlines(True) if re.match(r" +\d+ calls|thread \d+ was|gpustream|\w+Error", line)]
    stats = [line for line in lines if " calls " in line][:14]
    return "".join(stats + [line[:400] for line in lines if " calls " not in line][:10])


def races():
    print("\n## Right and wrong programs under `gpustream shake`\n")
    print("| program | variant | exit code undisturbed | exit code | runs | late | overtaken by | fails | seconds |\n|---|---|---|---|---|---|---|---|---|")
    jobs = [(pattern, how) for pattern in CUDA + PYTHON if len(asked) == len(ONLY) or pattern in ONLY for how in ("wrong", "right")]
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        calm = dict(zip(jobs, pool.map(lambda job: plain(*job), jobs)))
        for pattern, how, code, report, took in pool.map(lambda job: shake(*job), jobs):
            late = "; ".join(f"{one['function']} at {one['at'].split(', from')[0]}" for one in report.get("late", []))
            ahead = "; ".join(f"{one['function']} at {one['at'].split(', from')[0]} (match {one['match']})" for one in report.get("ahead", []))
            sure = f"{report['fails']} of {report['of']}, plain {report['plain_fails']} of {report['plain_of']}" if "fails" in report else ""
            print(f"| {pattern} | {how} | {calm[pattern, how]} | {code} | {report.get('runs', report.get('trouble'))} | {late} | {ahead} | {sure} | {took:.0f} |", flush=True)


PARTS = {"costs": costs, "frameworks": frameworks, "training": training, "checks": checks, "device_times": device_times}
asked = [name for name in ONLY if name in PARTS]
for name, part in PARTS.items():
    if name in asked or not ONLY:
        part()
if len(asked) < len(ONLY) or not ONLY:
    races()

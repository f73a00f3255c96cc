#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gpustream run` and `gpustream shake` on a GPU: front.py COMMAND NVCC_PROGRAM COSTS_PROGRAM SECONDS [PATTERN...]. Prints what docs/results keeps."""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
COMMAND, CUDA_PROGRAM, COSTS = sys.argv[1:4]
DEVICES = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout.count("UUID: GPU-")
END = time.time() + float(sys.argv[4])
ONLY = sys.argv[5:]  # then nothing else is measured
PYTHON = ["default_stream", "event_too_early", "side_producer", "freed_early", "graph_input", "pinned_reused", "triton_kernel", "double_buffer",
          "side_consumer", "comms_stream"]
CUDA = ["event_reused", "graph_edge", *(["two_devices"] if DEVICES > 1 else [])]
TRAIN = """
import time, torch
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.randn(256, 1024, device="cuda")
def step():
    optimizer.zero_grad()
    model(data).square().mean().backward()
    optimizer.step()
for _ in range(20): step()
best = 1e9
for _ in range(7):
    torch.cuda.synchronize(); began = time.perf_counter()
    for _ in range(50): step()
    torch.cuda.synchronize(); best = min(best, (time.perf_counter() - began) / 50)
print("step %.1f us" % (best * 1e6))
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
    ways = {"driver": [], "run": [COMMAND, "run", "--"], "run --log": [COMMAND, "run", "--log", "--"]}
    steps = {way: [] for way in ways}
    for way, prefix in [*ways.items()] * 3:  # in turn, as other work comes and goes
        done = subprocess.run([*prefix, sys.executable, "-c", TRAIN], capture_output=True, text=True, check=False)
        found = re.search(r"step ([\d.]+)", done.stdout)
        if found:
            steps[way].append(float(found.group(1)))
        else:
            print(f"\nA training step with {way}: exit code {done.returncode}, {done.stderr[-600:]}")
    print("\nA training step in PyTorch (8 layers, limited by the host), the least of 7 rounds: "
          + ", ".join(f"{way} {min(v):.1f} us" for way, v in steps.items() if v) + ".", flush=True)


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
    jobs = [(pattern, how) for pattern in CUDA + PYTHON if not ONLY or pattern in ONLY for how in ("wrong", "right")]
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        calm = dict(zip(jobs, pool.map(lambda job: plain(*job), jobs)))
        for pattern, how, code, report, took in pool.map(lambda job: shake(*job), jobs):
            late = "; ".join(f"{one['function']} at {one['at'].split(', from')[0]}" for one in report.get("late", []))
            ahead = "; ".join(f"{one['function']} at {one['at'].split(', from')[0]} (match {one['match']})" for one in report.get("ahead", []))
            sure = f"{report['fails']} of {report['of']}, plain {report['plain_fails']} of {report['plain_of']}" if "fails" in report else ""
            print(f"| {pattern} | {how} | {calm[pattern, how]} | {code} | {report.get('runs', report.get('trouble'))} | {late} | {ahead} | {sure} | {took:.0f} |", flush=True)


if not ONLY:
    costs()
    frameworks()
    training()
races()

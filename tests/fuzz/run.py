#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one harness under libFuzzer, from its corpus in the tree.

   run.py PROGRAM --corpus FOLDER --work FOLDER [--seconds N] [--planted N [--from-corpus | --from NAME]] [--keep] [--minimise]

--planted: with the harness's planted bug N, and from no corpus at all; finding it is the success. --from-corpus is for
a bug that needs what one of its programs does, --from for one that needs what program NAME does. A finding is copied to
the work folder and printed with the command that replays it. GPUSTREAM_FUZZ_SECONDS overrides --seconds, and
GPUSTREAM_TEST_FULL=1 makes an hour of it; GPUSTREAM_TEST_SEED is the seed (1).
"""
import argparse
import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Two jobs of CI run at the same time on two cores, under sanitizers.
SLOWEST_INPUT = 60
MEMORY_MB = 4096
LONGEST_INPUT = 600
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:strict_string_checks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


def seconds_to_run(options):
    if options.planted:
        return 15 * options.seconds  # it ends when the bug is found, which a busy machine and threads may put off
    if "GPUSTREAM_FUZZ_SECONDS" in os.environ:
        return int(os.environ["GPUSTREAM_FUZZ_SECONDS"])
    return 3600 if os.environ.get("GPUSTREAM_TEST_FULL") == "1" else options.seconds


def libfuzzer(options, folders, environment):
    """Exit status and output of the run, which may find something."""
    seconds = seconds_to_run(options)
    command = [options.program, f"-max_total_time={seconds}", f"-seed={os.environ.get('GPUSTREAM_TEST_SEED', 1)}"]
    command += [f"-timeout={SLOWEST_INPUT}", f"-report_slow_units={SLOWEST_INPUT}", f"-rss_limit_mb={MEMORY_MB}", "-print_final_stats=1"]
    command += [f"-max_len={LONGEST_INPUT}", "-len_control=0", f"-artifact_prefix={options.work}/", *folders]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def statistic(output, name):
    found = re.search(rf"^stat::{name}: +(\d+)$", output, re.MULTILINE)
    return int(found.group(1)) if found else 0


def artifacts(work):
    return sorted(path for path in work.iterdir() if re.match(r"(crash|timeout|oom|leak|slow-unit)-", path.name))


def report_finding(options, environment):
    for path in artifacts(options.work):
        text = path.read_bytes()
        print(f"\nthe input ({len(text)} bytes), in base64: {base64.b64encode(text[:4096]).decode()}")
        settings = [f"{name}={value}" for name, value in environment.items() if name.startswith(("GPUSTREAM_", "FAKE_"))]
        print(f"to replay it: {' '.join(settings)} GPUSTREAM_FUZZ_TRACE=1 {options.program} {path}")
        print(f"once it is understood, it belongs to {options.corpus} as a regression test")


def without_name(path):
    return re.fullmatch("[0-9a-f]{40}", path.name) is not None  # libFuzzer's own are named by their hash


def minimise(options, environment):
    """Of the inputs without names, the corpus keeps those that reach what the others do not."""
    kept = options.work / "kept"
    kept.mkdir()
    inputs = [path for path in options.corpus.iterdir() if path.is_file()]
    for path in inputs:
        if not without_name(path):
            shutil.copy(path, kept)
    # By lines reached, not by how often: a corpus is for people to read, too.
    merge = ["-merge=1", "-use_counters=0", f"-timeout={SLOWEST_INPUT}", f"-rss_limit_mb={MEMORY_MB}"]
    subprocess.run([options.program, *merge, kept, options.corpus], env=environment, check=True)
    for path in inputs:
        if without_name(path):
            path.unlink()
    chosen = [path for path in kept.iterdir() if without_name(path)]
    for path in chosen:
        shutil.copy(path, options.corpus)
    print(f"{options.corpus}: {len(inputs)} inputs before, {len(list(options.corpus.iterdir()))} now")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--planted", type=int, default=0)
    parser.add_argument("--from-corpus", action="store_true")
    parser.add_argument("--from", dest="program_of_corpus", metavar="NAME")
    parser.add_argument("--keep", action="store_true", help="add to the corpus what reached something new")
    parser.add_argument("--minimise", action="store_true", help="run nothing; drop from the corpus what adds nothing")
    options = parser.parse_args()
    options.work = options.work.with_name(f"{options.work.name}-planted-{options.planted}") if options.planted else options.work
    shutil.rmtree(options.work, ignore_errors=True)
    new = options.work / "new"
    new.mkdir(parents=True)
    environment = dict(os.environ, **OPTIONS)
    if options.minimise:
        minimise(options, environment)
        return 0
    if options.planted:
        environment["GPUSTREAM_FUZZ_PLANT"] = str(options.planted)
        seeds = [options.corpus] if options.from_corpus else []
        if options.program_of_corpus:
            seeds = [options.work / "seed"]
            seeds[0].mkdir()
            shutil.copy(options.corpus / options.program_of_corpus, seeds[0])
        status, output = libfuzzer(options, [new, *seeds], environment)
        found = re.search(r"broken rule: .*|ERROR: AddressSanitizer: .*|runtime error: .*", output)
        print(output[-3000:])
        if status == 0 or not found or not artifacts(options.work):
            sys.exit(f"the planted bug was not found (exit status {status})")
        print(f"the planted bug was found after {statistic(output, 'number_of_executed_units')} inputs: {found.group()}")
        return 0
    seeds = [path for path in options.corpus.iterdir() if path.is_file()]
    status, output = libfuzzer(options, [new, options.corpus], environment)
    print(output[-6000:])
    if status != 0 or artifacts(options.work):
        report_finding(options, environment)
        return 1
    runs = statistic(output, "number_of_executed_units")
    if runs <= 2 * len(seeds):
        sys.exit(f"only {runs} inputs ran, and the corpus has {len(seeds)}: the harness is too slow")
    print(f"{runs} inputs from {len(seeds)} seeds, {len(list(new.iterdir()))} of them new; nothing found")
    if options.keep:
        # By lines reached, not by how often: a corpus is for people to read, too.
        merge = ["-set_cover_merge=1", "-use_counters=0"]
        subprocess.run([options.program, *merge, options.corpus, new], env=environment, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Runs one case of tests/parity: run_case.py CASES.json CASE. Exit status 0 when every step went as described."""
import ctypes
import json
import os
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
PATIENCE = 60  # seconds, for "until": a bound of hangs, no expectation of speed


def own_operation(names, step):
    """The runner's own operations, with a dot in their names."""
    from support import native
    from support.parity_calls import Result
    from support.parity_values import Failure
    helpers, arguments = native.helpers(), [names.resolve(value) for value in step.get("args", [])]
    name = step["op"]
    if name == "gate.new":
        value = helpers.parity_gate_new()
    elif name == "gate.open":
        value = helpers.parity_gate_open(*arguments) and 0
    elif name == "counter.new":
        value = helpers.parity_counter_new()
    elif name == "counter.get":
        value = helpers.parity_counter_get(*arguments)
    elif name == "counter.function":
        value = ctypes.cast(helpers.parity_count, ctypes.c_void_p).value
    elif name == "buffer.u32":
        value = ctypes.cast(arguments[0], ctypes.POINTER(ctypes.c_uint32))[arguments[1]]
    elif name == "triple.new":
        value = dict(zip(("id", "device_index", "device_type"), arguments))
    elif name == "ipc.new":
        value = bytes([arguments[0]]) * 64
    else:
        raise Failure(f"no operation {name}")
    return Result(None, None, [value])


class Runner:
    def __init__(self, names):
        self.names = names

    def run(self, steps):
        from support.parity_values import Failure
        for number, step in enumerate(steps, 1):
            try:
                self.step(step)
            except Failure as failure:
                raise Failure(f"step {number}{' (' + step['op'] + ')' if 'op' in step else ''}: {failure}") from None

    def step(self, step):
        from support.parity_values import Failure
        if "thread" in step:
            return self.on_thread(step["thread"])
        if "fork" in step:
            return self.in_child(step["fork"])
        if "repeat" in step:
            for _ in range(step["repeat"]):
                self.run(step["steps"])
            return None
        deadline = time.monotonic() + PATIENCE
        while True:
            result = self.perform(step)
            try:
                return self.check(step, result)
            except Failure:
                if not step.get("until") or time.monotonic() > deadline:
                    raise
            os.sched_yield()

    def perform(self, step):
        from support.parity_calls import Call
        return own_operation(self.names, step) if "." in step["op"] else Call(self.names, step).perform()

    def check(self, step, result):
        import gpustream
        from support.parity_values import Failure, check
        if result.status is not None:
            status, wanted = gpustream._core.gs_status_name(result.status), step.get("expect", "GS_OK")
            if status != wanted:
                raise Failure(f"status is {status}, wanted {wanted}: {gpustream._core.gs_last_error()['message']}")
        if "returns" in step:
            check(self.names, step["returns"], result.returned, "the result")
        if "value" in step:
            several = isinstance(step["value"], list)
            if not several and len(result.outputs) != 1:
                raise Failure("'value' wants one output")
            for number, output in enumerate(result.outputs):
                check(self.names, step["value"][number] if several else step["value"], output, f"output {number + 1}")
        for name, output in zip(step.get("out", []), result.outputs):
            if name is not None:
                self.names.variables[name] = output

    def on_thread(self, steps):
        trouble = []

        def run():
            try:
                self.run(steps)
            except BaseException as error:
                trouble.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if trouble:
            raise trouble[0]

    def in_child(self, steps):
        from support.parity_values import Failure
        child = os.fork()
        if child == 0:
            try:
                self.run(steps)
            except BaseException as error:
                print(f"in the child: {error}", file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            raise Failure("the child failed")


def main(file, name):
    document = json.loads(Path(file).read_text(encoding="utf-8"))
    case = next(one for one in document["cases"] if one["name"] == name)
    os.environ.update(case.get("env", {}))  # before the library is loaded
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads is what some cases are about
    from support import native
    from support.parity_calls import routes
    from support.parity_values import Failure, Names
    names = Names(document["constants"])
    names.variables["native"] = native.path()
    try:
        Runner(names).run(case["steps"])
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return 1
    print(json.dumps({route: sorted(functions) for route, functions in routes.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Captures and replays by several threads, in a forked child, and at exit."""
import threading

import gpustream


def test_another_thread_ends_the_capture(memory):
    """Refused in thread-local mode, and the capture goes on; allowed in relaxed mode."""
    for mode in ("thread_local", "relaxed"):
        target, graph, stream, errors = memory(), gpustream.CUDAGraph(), gpustream.Stream(), []
        with stream:
            graph.capture_begin(capture_error_mode=mode)
            gpustream._memset_async(target.address, 3, 8)

            def end(graph=graph, stream=stream, errors=errors):
                with stream:
                    try:
                        graph.capture_end()
                    except gpustream.CapturingError as error:
                        errors.append(error)

            thread = threading.Thread(target=end)
            thread.start()
            thread.join()
            if mode == "thread_local":
                assert len(errors) == 1 and stream.is_capturing()
                graph.capture_end()
            assert not stream.is_capturing()
        graph.replay()
        gpustream.synchronize()
        assert target[0] == 3


def test_threads_capture_and_replay(memory):
    targets, errors = [memory() for _ in range(4)], []

    def work(target, value):
        try:
            for _ in range(20):
                graph, stream = gpustream.CUDAGraph(), gpustream.Stream()
                with gpustream.graph(graph, stream=stream, capture_error_mode="thread_local"):
                    gpustream._memset_async(target.address, value, target.size)
                with stream:
                    graph.replay()
                    graph.replay()
                stream.synchronize()
                assert target[0] == value
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(target, index + 1)) for index, target in enumerate(targets)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_fork_in_mid_capture(run_python):
    out = run_python("""
import os
import gpustream
stream, graph = gpustream.Stream(), gpustream.CUDAGraph()
with stream:
    graph.capture_begin()
    child = os.fork()
    if child == 0:
        try:
            graph.capture_end()
            code = 1
        except gpustream.BadForkError:
            code = 0
        del graph, stream
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert stream.is_capturing()
    p = gpustream._malloc_host(8)
    gpustream._memset_async(p, 1, 8)
    graph.capture_end()
graph.replay()
gpustream.synchronize()
print("done")
""", PYTHONWARNINGS="ignore")
    assert out.strip() == "done"


def test_exit_in_mid_capture(run_python):
    assert run_python("""
import gpustream
stream, graph = gpustream.Stream(), gpustream.CUDAGraph()
stream.__enter__()
graph.capture_begin()
stream.launch_host(print)
""") == ""

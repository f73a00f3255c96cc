# SPDX-License-Identifier: Apache-2.0
"""How long work takes on the device: two timed events around it."""
import gpustream


def main() -> None:
    stream = gpustream.Stream()
    start, end = gpustream.Event(enable_timing=True), gpustream.Event(enable_timing=True)
    start.record(stream)
    with stream:
        gpustream._sleep(10_000_000)  # cycles of the device; ns on the host backend
    end.record(stream)

    try:
        start.elapsed_time(end)  # waits for nothing
        print("the work was done at once")
    except RuntimeError as error:
        print("not yet:", error)
    end.synchronize()
    milliseconds = start.elapsed_time(end)
    print(f"{milliseconds:.3f} ms")
    assert milliseconds > 0


if __name__ == "__main__":
    main()

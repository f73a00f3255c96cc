# SPDX-License-Identifier: Apache-2.0
"""Work of two streams at the same time, and a third stream that waits for both."""
import gpustream


def main() -> None:
    left, right, after = gpustream.Stream(), gpustream.Stream(), gpustream.Stream()
    with left:
        gpustream._sleep(20_000_000)
    with right:
        gpustream._sleep(20_000_000)
    after.wait_stream(left)
    after.wait_stream(right)
    done = after.record_event()

    print("submitted; done already:", done.query())
    done.synchronize()
    print("left, right, after are done:", left.query(), right.query(), after.query())
    assert left.query() and right.query() and after.query()


if __name__ == "__main__":
    main()

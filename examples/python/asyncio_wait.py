# SPDX-License-Identifier: Apache-2.0
"""Awaiting a stream: the loop goes on while the device works."""
import asyncio

import gpustream


async def work(name: str, cycles: int, order: list[str]) -> None:
    stream = gpustream.Stream()
    # No await inside a with block of a stream: the current stream is the thread's, and so every task's.
    with stream:
        gpustream._sleep(cycles)
    await stream
    order.append(name)


async def tasks() -> list[str]:
    order: list[str] = []
    await asyncio.gather(work("long", 300_000_000, order), work("short", 1_000_000, order))
    return order


def main() -> None:
    order = asyncio.run(tasks())
    print("finished in this order:", order)
    assert sorted(order) == ["long", "short"]


if __name__ == "__main__":
    main()

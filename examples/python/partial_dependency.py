# SPDX-License-Identifier: Apache-2.0
"""An event in the middle of a stream: others wait for the first part of its work only."""
import gpustream


def main() -> None:
    producer, consumer = gpustream.Stream(), gpustream.Stream()
    order: list[str] = []

    producer.add_done_callback(lambda: order.append("first part"))
    half = producer.record_event()
    with producer:
        gpustream._sleep(200_000_000)
    producer.add_done_callback(lambda: order.append("second part"))

    consumer.wait_event(half)
    consumer.add_done_callback(lambda: order.append("consumer"))

    consumer.synchronize()
    print("after consumer.synchronize():", order)
    assert {"first part", "consumer"} <= set(order)  # callbacks of two streams: in no promised order
    producer.synchronize()
    print("after producer.synchronize():", order)
    assert sorted(order) == ["consumer", "first part", "second part"]


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""wait_stream() waits for everything submitted so far; event.wait() for what the event's record covers."""
import gpustream


def main() -> None:
    producer, coarse, fine = gpustream.Stream(), gpustream.Stream(), gpustream.Stream()
    half = producer.record_event()
    with producer:
        gpustream._sleep(300_000_000)

    fine.wait_event(half)  # the same as half.wait(fine): nothing long is in front of it
    coarse.wait_stream(producer)

    fine.synchronize()
    print("fine is done; producer:", producer.query(), "coarse:", coarse.query())
    assert fine.query()
    coarse.synchronize()
    print("coarse is done; producer:", producer.query())
    assert producer.query()


if __name__ == "__main__":
    main()

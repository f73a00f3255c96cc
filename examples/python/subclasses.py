# SPDX-License-Identifier: Apache-2.0
"""Classes of one's own: by __new__, as torch's are derived, or by __init__. Both know what they are."""
import gpustream


class Urgent(gpustream.Stream):
    """By __new__, which makes the stream. What __init__ is called with does not matter then."""

    purpose: str

    def __new__(cls, purpose: str) -> "Urgent":
        stream = super().__new__(cls, 0, priority=-1)
        stream.purpose = purpose
        return stream

    def __init__(self, purpose: str) -> None:
        pass


class Named(gpustream.Stream):
    """By __init__: the arguments that it passes on decide."""

    def __init__(self, purpose: str, priority: int = 0) -> None:
        super().__init__(priority=priority)
        self.purpose = purpose


class Mark(gpustream.Event):
    def __new__(cls, text: str) -> "Mark":
        return super().__new__(cls, enable_timing=True)

    def __init__(self, text: str) -> None:
        self.text = text


class Theirs(gpustream.ExternalStream):
    def __new__(cls, number: int, library: str) -> "Theirs":
        return super().__new__(cls, number, device=0)

    def __init__(self, number: int, library: str) -> None:
        self.library = library


def main() -> None:
    urgent, named = Urgent("copies"), Named("kernels")
    start: Mark = urgent.record_event(Mark("start"))  # the event that was passed, with its type
    named.wait_event(start)
    end: Mark = named.record_event(Mark("end"))
    plain: gpustream.Event = named.record_event()
    end.synchronize()
    print(f"{urgent.purpose}, then {named.purpose}: {start.text} to {end.text} {start.elapsed_time(end):.3f} ms")

    theirs = Theirs(urgent.cuda_stream, "another library")
    print(f"{theirs.library} has {theirs}")
    assert theirs == urgent and plain.query()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Both sides of a measured hand-over, in whatever process they are.

A turn: the source's stream is held by a word. Behind that it fills a buffer, writes its own word, and hands the buffer over. The
destination's stream writes a word of the destination when the buffer has come. A thread of each process spins on the word
and takes the time: the difference is how late the destination's stream went on.
"""
import threading

import gpustream
from board import Board
from words import Word


def synchronizes():
    """Of streams, events and devices, by this process's threads."""
    return gpustream._stats()["synchronizes"]


def is_wrong(contents, turn):
    """Whether the bytes are not those of the turn."""
    return not contents or contents.count(bytes([turn % 256])) != len(contents)


class Source:
    def __init__(self, board, size):
        self.board = Board(board)
        self.stream = gpustream.Stream()
        self.buffer = gpustream.Buffer(size, stream=self.stream)
        self._hold, self._word = Word(), Word()
        self._watcher = None

    def submit(self, turn, fill=None):
        """The work behind the hold; a thread ends the hold when the board says so."""
        self._hold.hold(self.stream, turn)
        if fill is None:
            self.buffer.fill_(turn % 256)
        else:
            fill()
        self._word.write(self.stream, turn)
        self._watcher = threading.Thread(target=self._watch, args=(turn,), daemon=True)
        self._watcher.start()
        self.board["submitted"] = turn

    def _watch(self, turn):
        self.board.wait("go", turn)
        self._hold.set(turn)
        self.board["source_ns"] = self._word.time_of(turn)

    def finish(self):
        self._watcher.join()
        self.stream.synchronize()


class Destination:
    def __init__(self, board, own_stream=True):
        self.board = Board(board)
        self.stream = gpustream.Stream() if own_stream else gpustream.default_stream()
        self._word = Word()

    def go_on(self, turn):
        """Of the stream, after what has been submitted so far."""
        self._word.write(self.stream, turn)
        self.board["armed"] = turn
        self.board["destination_ns"] = self._word.time_of(turn)
        self.board["seen"] = turn

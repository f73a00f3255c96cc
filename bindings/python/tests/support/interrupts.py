# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at a chosen place."""
import sys

# Python 3.14 handles signals also between __enter__() and its with block, and leaves any lock held then. No code of Python can mend that.
LOSES_LOCKS = sys.version_info >= (3, 14)


def is_ending(frame):
    """Whether the frame is part of a __del__. It runs whenever Python collects garbage, and Python only prints its exceptions."""
    while frame and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def interrupted(call, module, number):
    """Makes a call, with KeyboardInterrupt at the number-th place in a module's code where Python handles signals: where a function
    of Python begins, and where one of C has returned. Returns whether it came to that, what the call returned, and the names of the
    functions of C that have returned."""
    returned, places = [], 0

    def profile(frame, event, argument):
        nonlocal places
        if frame.f_code.co_filename != module.__file__ or event not in ("call", "c_return") or is_ending(frame):
            return
        if event == "c_return":
            returned.append(argument.__name__)
            if LOSES_LOCKS and argument.__name__ == "__enter__":
                return
        places += 1
        if places == number:
            raise KeyboardInterrupt  # and the interpreter forgets this function

    sys.setprofile(profile)
    try:
        return False, call(), returned
    except KeyboardInterrupt:
        return True, None, returned
    finally:
        sys.setprofile(None)

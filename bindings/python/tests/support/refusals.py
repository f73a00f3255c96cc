# SPDX-License-Identifier: Apache-2.0
"""Calls that must fail, in one line each."""
import re


def raises(error, *call, **keywords):
    """raises(ValueError, "too long", function, argument): the call raises such an error with such a text; without a text any text.
    Returns the error, without the frames, which would keep objects alive."""
    text, (function, *arguments) = (call[0], call[1:]) if isinstance(call[0], str) else (None, call)
    try:
        function(*arguments, **keywords)
    except error as caught:
        if text is None or re.search(text, str(caught)):
            return caught.with_traceback(None)
        raise AssertionError(f"the error's text has no {text!r}") from caught
    raise AssertionError(f"{error} was not raised")

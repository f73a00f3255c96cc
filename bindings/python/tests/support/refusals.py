# SPDX-License-Identifier: Apache-2.0
"""Calls that must fail, in one line each."""
import pytest


def raises(error, *call, **keywords):
    """raises(ValueError, "too long", function, argument): the call raises such an error with such a text; without a text any text."""
    text, (function, *arguments) = (call[0], call[1:]) if isinstance(call[0], str) else (None, call)
    with pytest.raises(error, match=text):
        function(*arguments, **keywords)

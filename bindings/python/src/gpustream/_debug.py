# SPDX-License-Identifier: Apache-2.0
"""Sync debug mode, counters, and the library's messages."""
from __future__ import annotations

from gpustream import _later, _where
from gpustream._load import _core

_DEFAULT, _WARN, _ERROR = _core.GS_SYNC_DEBUG_DEFAULT, _core.GS_SYNC_DEBUG_WARN, _core.GS_SYNC_DEBUG_ERROR
_MODES: dict[int | str, int] = {
    "default": _DEFAULT, "warn": _WARN, "error": _ERROR, _DEFAULT: _DEFAULT, _WARN: _WARN, _ERROR: _ERROR,
}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Set what synchronizing calls do in this process: 0 or "default" nothing, 1 or "warn" a UserWarning of the
    caller's line before the wait, 2 or "error" SyncForbiddenError and no wait.

    As in torch that is Stream.synchronize(); _set_sync_debug_scope(1) adds events and devices.

    Raises RuntimeError: another mode; TypeError: neither int nor str. Nothing is changed then.
    """
    kind = type(debug_mode)
    if kind is int or kind is str or (isinstance(debug_mode, (int, str)) and kind is not bool):
        mode = _MODES.get(debug_mode)
    else:
        raise TypeError(f"argument 'debug_mode' must be int or str, not {type(debug_mode).__name__}")
    if mode is None:
        raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
    _core.start()
    _where.mode = _where.line(1)
    _core.gs_set_option(_core.GS_OPTION_SYNC_DEBUG_MODE, mode)


def get_sync_debug_mode() -> int:
    """The process's sync debug mode (int): 0, 1 or 2."""
    _core.start()
    return _core.gs_get_option(_core.GS_OPTION_SYNC_DEBUG_MODE)


def _set_sync_debug_scope(scope: int) -> None:
    """0: Stream.synchronize() only, as torch has it. 1: also events and devices."""
    _core.gs_set_option(_core.GS_OPTION_SYNC_DEBUG_SCOPE, scope)


def _get_sync_debug_scope() -> int:
    """The process's sync debug scope (int)."""
    return _core.gs_get_option(_core.GS_OPTION_SYNC_DEBUG_SCOPE)


def _stats() -> dict[str, int]:
    """The library's counters since start or _reset_stats(), as a dict by the names of gs_stats_t in gpustream.h."""
    stats = _core.gs_get_stats()
    del stats["struct_size"]
    return stats


def _reset_stats() -> None:
    """Start counting at zero again."""
    _core.gs_reset_stats()


def _trim() -> None:
    """Release pooled streams and events to the driver."""
    _core.gs_trim()


def _instance_count() -> int:
    """How many copies of the library this process has loaded (int). More than 1 is nearly always a packaging mistake."""
    return _core.gs_instance_count()


def warn_of_sync() -> None:
    """Hook: warns of a synchronizing call, with the line that called the package."""
    import warnings

    text = f"called a synchronizing {_later.load('_error_texts').special().operation}"
    warnings.warn(text, stacklevel=_where.warning_level())


def show_message(level: int, text: str) -> None:
    """Hook: messages of the library that belong to no call. Warnings become Python's. What is raised here goes to
    sys.unraisablehook: errors, and warnings that a filter makes errors."""
    if level == _core.GS_LOG_WARNING:
        import warnings

        text = _later.load("_error_texts").in_python(text)
        warnings.warn(f"gpustream: {text}", RuntimeWarning, stacklevel=_where.warning_level())
    elif level == _core.GS_LOG_ERROR:
        raise RuntimeError(f"gpustream met a failure that had no caller: {text}")

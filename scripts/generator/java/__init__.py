# SPDX-License-Identifier: Apache-2.0
"""Writes the flat part of the Java binding. The rules: types.py for types and names, text.py for the layout of lines."""

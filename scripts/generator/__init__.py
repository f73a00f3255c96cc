# SPDX-License-Identifier: Apache-2.0
"""Reads include/gpustream.h into one description and writes from it everything that can be generated; see scripts/generate."""

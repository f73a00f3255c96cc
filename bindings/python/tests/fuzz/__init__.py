# SPDX-License-Identifier: Apache-2.0
"""Random programs over every public callable; see __main__.py."""

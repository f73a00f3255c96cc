# SPDX-License-Identifier: Apache-2.0
"""Makes scripts/generator importable: the checks read the header with the parser that everything is generated with."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

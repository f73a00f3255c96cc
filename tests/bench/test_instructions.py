# SPDX-License-Identifier: Apache-2.0
"""bench/instructions on made-up dumps of callgrind."""
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

LOADER = SourceFileLoader("instructions", str(Path(__file__).resolve().parents[2] / "bench" / "instructions"))
sys.dont_write_bytecode = True
instructions = module_from_spec(spec_from_loader("instructions", LOADER))
LOADER.exec_module(instructions)


def dump(trigger, own, backend):
    """Callgrind's counts up to the trigger: a library that needs `own`, a backend that needs `backend` in all."""
    return (f"desc: Trigger: {trigger}\nob=/lib/libgpustream.so.0\nfn=gs_call\n10 {own}\ncfn=gs::host::HostBackend::work(int)\ncalls=1000 7\n11 {backend}\n"
            f"\nfn=gs::host::HostBackend::work(int)\n7 {backend}\n")


class InstructionsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def write_dumps(self):
        # A dump holds what ran since the one before it, which names the part.
        texts = [dump("--dump-before=part_empty_loop", 5, 0), dump("--dump-before=part_record", 2000, 0),
                 dump("--dump-before=part_end", 52000, 30000), dump("Program termination", 9, 0)]
        for number, text in enumerate(texts, 1):
            (self.path / f"dump.{number}-01").write_text(text)
            (self.path / f"dump.{number}-02").write_text(dump("", 7000, 7000)) # of another thread

    def test_the_backend_is_told_from_the_library(self):
        self.write_dumps()
        self.assertEqual(instructions.counts(instructions.read_parts(self.path)), {"record": (80, 50)})

    def test_where_names_functions_without_their_arguments(self):
        self.write_dumps()
        parts = instructions.read_parts(self.path)
        text = instructions.where(parts, "record")
        self.assertIn("| `gs_call` | 50 |", text)
        self.assertIn("| `gs::host::HostBackend::work` | 30 |", text)
        self.assertNotIn("int", text.replace("instructions", ""))
        with self.assertRaises(SystemExit):
            instructions.where(parts, "no such call")

    def test_a_layer_that_needs_more_than_c_is_found(self):
        columns = {"Zig": {"c_query": (98, 98), "zig_query": (98, 98), "c_scope": (224, 224), "zig_scope": (227, 227)}}
        text, more = instructions.compare_layer("zig", columns)
        self.assertEqual(more, 0)
        self.assertIn("| query | 98 | 98 |", text)
        columns["Zig in another form"] = columns["Zig"] | {"zig_query": (99, 99), "zig_scope": (228, 228)}
        text, more = instructions.compare_layer("zig", columns)
        self.assertEqual(more, 2)
        self.assertIn("| scope | 224 | 227 | 228 |", text)

    def stored(self, library):
        file = self.path / "stored.md"
        file.write_text("# " + instructions.table({"event_record": (300, library)}, "host"))
        return file

    def test_a_call_that_grew_is_reported(self):
        self.assertEqual(instructions.worse_than({"event_record": (300, 140)}, self.stored(140)), [])
        self.assertEqual(instructions.worse_than({"event_record": (300, 150)}, self.stored(140)), [])
        self.assertEqual(len(instructions.worse_than({"event_record": (300, 151)}, self.stored(140))), 1)

    def test_a_file_without_a_table_is_refused(self):
        (self.path / "empty.md").write_text("nothing\n")
        with self.assertRaises(SystemExit):
            instructions.worse_than({}, self.path / "empty.md")


if __name__ == "__main__":
    unittest.main()

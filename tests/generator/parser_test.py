#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the parser makes of declarations beyond those of the public header, wrong ones among them."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from generator import emit_map  # noqa: E402
from generator.declarations import prototype  # noqa: E402
from generator.header import Header  # noqa: E402
from generator.scanner import HeaderError  # noqa: E402

HEADER = """
#ifndef GPUSTREAM_H
#define GPUSTREAM_H
#define GS_API extern
/** Length. */
#define GS_LENGTH (2 * 4)
typedef int32_t gs_status_t;
enum { GS_OK = 0, GS_ERROR_INVALID_ARGUMENT = 10 };
/** A node. */
typedef uint64_t gs_node_t;
/** A thing. */
typedef struct gs_thing *gs_thing_t;
/** Called back. */
typedef gs_status_t (*gs_write_fn)(void *arg, const char *text, size_t bytes);
/** Flags of things. */
enum {
    /** First. */
    GS_THING_A = 1 << 4,
    /** Both. */
    GS_THING_AB = GS_THING_A | 0x2u
};
/** Inside. */
typedef struct gs_inner { /** Low. */ int8_t low; /** High. */ double high; } gs_inner_t;
/** Outside. */
typedef struct gs_outer {
    /** Size, bytes. */
    uint32_t struct_size;
    /** Three. */
    uint16_t x, y, z;
    /** Inner. */
    gs_inner_t inner;
    /** Texts; at most 3 of them. */
    const char *texts[GS_LENGTH];
    /** Function. */
    int32_t (*get)(void *arg, int32_t ordinal);
    /** Named function. */
    gs_write_fn write;
    /** How long, ms. */
    uint32_t wait_ms;
} gs_outer_t;
/* ---- things ------------------------------------------------------------------------------- */
/**
 * Lists nodes.
 *
 * In order.
 *
 * \\param[in]  thing      live thing.
 * \\param[out] out_nodes  [capacity] NULL only if capacity is 0.
 * \\param[in]  capacity   how many fit.
 * \\param[out] out_count  not NULL; how many there are.
 * \\param[in]  write      not NULL.
 * \\param[in]  arg        passed to write; also NULL.
 * \\param[in]  texts      [capacity] not NULL.
 * \\return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (no).
 * \\since 0.10
 */
GS_API gs_status_t gs_thing_nodes(gs_thing_t thing, gs_node_t *out_nodes, size_t capacity, size_t *out_count,
                                  gs_write_fn write, void *arg, const char *const *texts);
/** Old. \\n
 * \\since 0.9 */
GS_API void gs_thing_forget(void);
#endif
"""


def parsed(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "header.h"
        path.write_text(text, encoding="utf-8")
        return Header(path).api


class Parser(unittest.TestCase):
    def setUp(self):
        self.api = parsed(HEADER)

    def test_numbers(self):
        self.assertEqual({one.name: one.value for one in self.api.constants},
                         {"GS_LENGTH": 8, "GS_OK": 0, "GS_ERROR_INVALID_ARGUMENT": 10, "GS_THING_A": 16, "GS_THING_AB": 18})  # fmt: skip
        self.assertEqual([(one.name, one.type) for one in self.api.groups], [("gs_status_t", "gs_status_t"), ("GS_THING", "uint32_t")])

    def test_layout(self):
        outer = self.api.struct("gs_outer_t")
        self.assertEqual([(one.name, one.offset, one.size) for one in outer.fields],
                         [("struct_size", 0, 4), ("x", 4, 2), ("y", 6, 2), ("z", 8, 2), ("inner", 16, 16), ("texts", 32, 64),
                          ("get", 96, 8), ("write", 104, 8), ("wait_ms", 112, 4)])  # fmt: skip
        self.assertEqual((outer.size, outer.alignment, outer.sized), (120, 8, True))
        self.assertEqual([one.array for one in outer.fields if one.array], [8])
        self.assertEqual([one.unit for one in outer.fields if one.unit], ["bytes", "milliseconds"])

    def test_parameters(self):
        thing, nodes, capacity, count, write, arg, texts = self.api.function("gs_thing_nodes").parameters
        self.assertEqual((thing.handle, thing.direction), ("thing", "in"))
        self.assertEqual((nodes.count, nodes.direction, nodes.optional), ("capacity", "out", True))
        self.assertEqual((capacity.type.text, count.type.text), ("size_t", "size_t *"))
        self.assertEqual((write.callback.name, write.callback.argument, write.type.text), ("gs_write_fn", "arg", "gs_write_fn"))
        self.assertEqual((arg.optional, texts.type.base, texts.type.pointers), (True, "char", 2))

    def test_function(self):
        nodes, forget = self.api.functions
        self.assertEqual((nodes.section, nodes.statuses), ("things", ["GS_OK", "GS_ERROR_INVALID_ARGUMENT"]))
        declared = HEADER[HEADER.index("gs_status_t gs_thing_nodes") : HEADER.index("*texts);") + 7]
        self.assertEqual(prototype(nodes), " ".join(declared.split()))
        self.assertEqual((forget.result, forget.statuses, prototype(forget)), ("void", [], "void gs_thing_forget(void)"))

    def test_version_nodes(self):
        text = emit_map.outputs(self.api)["src/gpustream.map"]
        self.assertLess(text.index("GPUSTREAM_0.9 {"), text.index("GPUSTREAM_0.10 {"))
        self.assertTrue(text.endswith("        gs_thing_nodes;\n} GPUSTREAM_0.9;\n"))

    def test_refused(self):
        for old, new, wanted in (
            ("GS_THING_A = 1 << 4", "GS_THING_A", "GS_THING_A has no pinned number"),
            ("(2 * 4)", "sizeof(int)", "GS_LENGTH is no constant expression"),
            ("int8_t low", "wchar_t low", "the size of the type 'wchar_t' is not known"),
            ("gs_thing_t thing, gs_node_t", "gs_thing_t, gs_node_t", "has no name"),
            ("typedef uint64_t gs_node_t;", "union gs_word { int a; };", "a declaration of no known kind"),
            ("gs_thing_forget(void);", "gs_thing_forget(void)", "a declaration does not end"),
        ):
            with self.subTest(new), self.assertRaisesRegex(HeaderError, rf"^include/header.h: line \d+: .*{wanted}"):
                parsed(HEADER.replace(old, new))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What the operators change, and what they leave alone."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutants import mutants_of, sampled  # noqa: E402


def changes(text, operator=None):
    """The lines that the mutants make of one line."""
    return sorted(m.after for m in mutants_of("a.cpp", text) if operator in (None, m.operator))


class OperatorsTest(unittest.TestCase):
    def test_relations_and_their_bounds(self):
        self.assertEqual(changes("    return a < b;\n", "relational"), ["return a <= b;", "return a >= b;"])
        self.assertEqual(changes("    use(a == b);\n", "relational"), ["use(a != b);"])

    def test_connectors(self):
        self.assertEqual(changes("    x = a && b;\n", "connector"), ["x = a || b;"])
        self.assertEqual(changes("    f(Child &&other);\n", "connector"), [])

    def test_arithmetic(self):
        self.assertEqual(changes("    f(a + b);\n", "arithmetic"), ["f(a - b);"])
        self.assertEqual(changes("    ++count;\n", "arithmetic"), ["--count;"])
        self.assertEqual(changes("    Slot *next = a[n++];\n", "arithmetic"), ["Slot *next = a[n--];"])
        self.assertEqual(changes("    f(-1, *p, &q);\n", "arithmetic"), [])

    def test_bits(self):
        self.assertEqual(changes("    f(a & ~b);\n", "bits"), ["f(a & b);", "f(a | ~b);"])
        self.assertEqual(changes("    f(a << 4u);\n", "bits"), ["f(a >> 4u);"])

    def test_constants(self):
        self.assertEqual(changes("    f(0, 1, 16, true, 1'000u);\n", "constant"),
                         sorted(["f(1, 1, 16, true, 1'000u);", "f(0, 0, 16, true, 1'000u);", "f(0, 1, 17, true, 1'000u);",
                                 "f(0, 1, 16, false, 1'000u);", "f(0, 1, 16, true, 1001u);"]))
        self.assertEqual(changes("    f(x1, 0x10, uint32_t{});\n", "constant"), [])

    def test_conditions(self):
        self.assertEqual(changes("    if (ready(\"x\")) f();\n", "condition"), ["if (!(ready(\"x\"))) f();"])
        self.assertEqual(changes("    if (Status s = g(); !s.ok()) f();\n", "condition"), ["if (Status s = g(); !(!s.ok())) f();"])
        self.assertEqual(changes("    if (a == b) f();\n", "condition"), [])  # the relation's mutant is the same

    def test_deletions(self):
        for statement in ("f(a, b);", "a = b;", "a.b->c = d;", "*out = a;", "++a;", "x.store(1, order);", "break;"):
            self.assertEqual(changes(f"    {{\n    {statement}\n}}\n", "deletion"), [";"], statement)
        self.assertEqual(changes("{\n    if (a) f(b);\n", "deletion"), ["if (a) ;"])
        self.assertEqual(changes("    case A::B: f();\n", "deletion"), ["case A::B: ;"])
        self.assertEqual(changes("{\n    return a ? b : f(c);\n", "deletion"), [])
        for statement in ("int a = b;", "MutexLock lock(mutex);", "return f();", "Status g(int a);", "std::atomic_thread_fence(x);"):
            self.assertEqual(changes(f"{{\n    {statement}\n}}\n", "deletion"), [], statement)

    def test_results(self):
        self.assertEqual(changes("    return kOk;\n", "result"), ['return fail(GS_ERROR_SYSTEM, "mutant");'])
        self.assertEqual(changes("    return fail(A, \"text\", b);\n", "result"), ["return {};"])
        self.assertEqual(changes("    GS_TRY(f(a));\n", "result"), ["(void)(f(a));", ";"])
        self.assertEqual(changes("    return nullptr;\n", "result"), [])

    def test_what_is_no_code_stays(self):
        for text in ("// a < b\n", "/* a < b */\n", "    f(\"a < b\");\n", "#define X(a, b) a < b\n", "#if A < 1 && \\\n    B > 2\n",
                     "template <typename A, int b = 2>\n", "static_assert(a < b, \"0\");\n", "[[gnu::aligned(8)]]\n"):
            self.assertEqual(changes(text), [], text)
        self.assertEqual(changes("#if defined(GS_TSAN)\n    a = b;\n#else\n    return nullptr;\n#endif\n"), [])
        self.assertEqual(changes("    GS_CHECK(a < b);\n"), [])

    def test_a_mutant_keeps_the_number_of_lines(self):
        text = "{\n    f(a,\n      b);\n    g();\n}\n"
        for mutant in mutants_of("a.cpp", text):
            self.assertEqual(mutant.applied(text).count("\n"), text.count("\n"))
            self.assertNotEqual(mutant.applied(text), text)

    def test_the_sample_does_not_depend_on_other_lines(self):
        text = "{\n    a = b + 1;\n    c = d && e;\n}\n"
        before = mutants_of("a.cpp", text)
        after = mutants_of("a.cpp", "int x;\n" + text)
        self.assertEqual([m.id for m in sampled(before, "1")], [m.id for m in sampled(after, "1")])
        self.assertEqual(len({m.id for m in before}), len(before))
        twice = mutants_of("a.cpp", text + text)
        self.assertEqual(len({m.id for m in twice}), 2 * len(before))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""The value of a constant expression of the header."""
import ast
import operator
import re

OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.LShift: operator.lshift, ast.USub: operator.neg, ast.Invert: operator.invert,
}  # fmt: skip
CAST = re.compile(r"\(\s*(?:u?int\w*_t|gs_\w+_t|size_t|unsigned|int)\s*\)")


def value_of(text, known):
    """The number of a constant expression of integers and names in `known`, or None for any other text."""
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)(?:[uU]?[lL]{0,2})\b", r"\1", CAST.sub("", text))
    try:
        return evaluate(ast.parse(text.strip(), mode="eval").body, known)
    except (SyntaxError, KeyError, TypeError):
        return None


def evaluate(node, known):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](evaluate(node.left, known), evaluate(node.right, known))
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](evaluate(node.operand, known))
    raise KeyError(node)

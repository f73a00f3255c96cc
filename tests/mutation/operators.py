# SPDX-License-Identifier: Apache-2.0
"""The mutation operators. Each takes the code of a file (sources.code_of) and yields (start, end, replacement).

They rely on the layout of clang-format: binary operators have a space on both sides, and brackets of templates,
references and pointers do not.
"""
import re

from sources import closing

RELATIONAL = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
BITS = {"&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<"}
ASSIGNMENT = {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}


def replaced(code, pattern, table):
    for match in re.finditer(pattern, code):
        others = table[match[1]]
        for other in (others,) if isinstance(others, str) else others:
            yield match.start(1), match.end(1), other


def relational(code):
    yield from replaced(code, r"(?<= )(<=?|>=?|==|!=)(?=[ \n])", RELATIONAL)


def connector(code):
    yield from replaced(code, r"(?<= )(&&|\|\|)(?=[ \n])", {"&&": "||", "||": "&&"})


def arithmetic(code):
    yield from replaced(code, r"(?<=[\w)\]] )([-+*/%])(?=[ \n])", ARITHMETIC)
    yield from replaced(code, r"(?<![\w)+-])(\+\+|--)(?=[\w*])", {"++": "--", "--": "++"})
    yield from replaced(code, r"(?<=[\w)])(\+\+|--)(?! ?[\w*])", {"++": "--", "--": "++"})


def bits(code):
    yield from replaced(code, r"(?<=[\w)\]] )([&|^]|<<|>>)(?=[ \n])", BITS)
    yield from replaced(code, r"(?<=[ (])(~)(?=[\w(])", {"~": ""})


def assignment(code):
    yield from replaced(code, r"(?<= )([-+|&]=|<<=|>>=)(?=[ \n])", ASSIGNMENT)


def constant(code):
    for match in re.finditer(r"(?<![\w.'])(\d[\d']*)([uUlL]*)(?![\w.'])", code):
        number = int(match[1].replace("'", ""))
        yield match.start(1), match.end(1), str(1 - number if number < 2 else number + 1)
    yield from replaced(code, r"\b(true|false)\b", {"true": "false", "false": "true"})


def condition(code):
    """if and while: the condition negated, where no other operator does the same."""
    for match in re.finditer(r"\b(?:if|while) \(", code):
        end = closing(code, match.end() - 1)
        start = max(code.rfind(";", match.end(), end) + 1, match.end())
        text = code[start:end].strip()
        if re.search(r"^[^&|]* (==|!=) [^&|]*$", text) or re.search(r"^[\w ]*[*&]?\w+ = ", text):
            continue
        start += len(code[start:end]) - len(code[start:end].lstrip())
        yield start, end, f"!({text})"


STATEMENT = re.compile(r"(?:[{};]|\)|else|\bcase [\w: ]+:|default:)\s+((?:\+\+|--|[*(]*)[A-Za-z_][^;{}]*;)")
KEYWORD = re.compile(r"(?:if|while|for|switch|return|else|case|default|goto|do|static_cast|GS_TRY)\b")
# What only the order of memory or the scheduler would show: schedules and ThreadSanitizer look for those.
ORDERING = re.compile(r"(?:std::atomic_(?:thread|signal)_fence|heavy_barrier|light_barrier|full_fence|sched_yield)\(")
CALL_OR_CHANGE = re.compile(
    r"(?:[\w.:\[\]()*]|->|<[\w: *]+>)+(?:\(| (?:[-+|&]|<<|>>)?= )|(?:\+\+|--)(?:[\w.\[\]]|->)+;|break;|continue;")


def deletion(code):
    """A call, an assignment, break or continue becomes an empty statement. Declarations have a space in their left side."""
    offset = 0
    while match := STATEMENT.search(code, offset):
        offset = match.start(1)
        text = match[1]
        if CALL_OR_CHANGE.match(text) and not KEYWORD.match(text) and not ORDERING.match(text):
            yield match.start(1), match.end(1), ";"


def result(code):
    """A result becomes the default of its type, success a failure, and a failure that ends the function is dropped."""
    for match in re.finditer(r"\breturn ([^;{}]+|\{[^;{}]*\});", code):
        value = match[1].strip()
        if value == "kOk":
            yield match.start(1), match.end(1), 'fail(GS_ERROR_SYSTEM, "mutant")'
        elif value not in ("true", "false", "nullptr", "0", "{}"):
            yield match.start(1), match.end(1), "{}"
    for match in re.finditer(r"\bGS_TRY\(", code):
        end = closing(code, match.end() - 1)
        yield match.start(), match.end() - 1, "(void)"
        if end > 0 and code[match.end():end].count("(") == 1:
            yield match.start(), end + 1, ""


OPERATORS = (relational, connector, arithmetic, bits, assignment, constant, condition, deletion, result)

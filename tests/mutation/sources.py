# SPDX-License-Identifier: Apache-2.0
"""C++ source text as the operators see it: what is no code is blanked, so that offsets stay those of the file."""
import re

# Comments, strings and characters. A digit separator (1'000) is no character.
NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
# A macro or directive with its continued lines; [[attributes]]; the head of a template.
NOT_MUTATED = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\[\[[^\]]*\]\]|^[ \t]*template <[^\n]*", re.MULTILINE)
# Hints to the compiler, and what only the builds for tests have: a change there is no change of the library.
CALLS_NOT_MUTATED = re.compile(
    r"\b(?:__attribute__|alignas|static_assert|GS_YIELD|GS_CHECK|GS_REQUIRES|GS_GUARDED_BY|__builtin_prefetch) *\(")
# Compiled by ThreadSanitizer only.
SANITIZER = re.compile(r"^#if defined\(GS_TSAN\)\n(.*?)^#(?:else|endif)", re.MULTILINE | re.DOTALL)


def blank(text, start, end):
    """The text with spaces from start to end; line breaks stay."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def closing(text, opening):
    """The offset of the bracket that closes the one at `opening`, or -1."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    stack = []
    for offset in range(opening, len(text)):
        character = text[offset]
        if character in pairs:
            stack.append(pairs[character])
        elif stack and character == stack[-1]:
            stack.pop()
            if not stack:
                return offset
    return -1


def code_of(text):
    """The text with everything blanked that no operator may change."""
    for match in NOT_CODE.finditer(text):
        text = blank(text, match.start(), match.end())
    for match in SANITIZER.finditer(text):
        text = blank(text, match.start(1), match.end(1))
    for match in NOT_MUTATED.finditer(text):
        text = blank(text, match.start(), match.end())
    for match in CALLS_NOT_MUTATED.finditer(text):
        end = closing(text, match.end() - 1)
        if end > 0:
            text = blank(text, match.start(), end + 1)
    return text

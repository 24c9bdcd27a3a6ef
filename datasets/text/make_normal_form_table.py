#!/usr/bin/env python3
"""Writes datasets/text/normal_form_table.cpp from Python's unicodedata.

    python3 datasets/text/make_normal_form_table.py     # Python 3.11 or 3.12 have Unicode 14 and 15
"""
import pathlib
import sys
import unicodedata

OUT = pathlib.Path(__file__).resolve().parent / "normal_form_table.cpp"


def rows(items, width=100):
    lines, line = [], "  "
    for item in items:
        if len(line) + len(item) + 1 > width:
            lines.append(line)
            line = "  "
        line += " " + item
    return "\n".join([*lines, line])


def decompositions():
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if not parts or parts[0].startswith("<"):
            continue
        second = f",0x{int(parts[1], 16):x}" if len(parts) == 2 else ""
        excluded = ",0" if second and unicodedata.normalize("NFC", chr(code)) != chr(code) else ""
        yield f"{{0x{code:x},0x{int(parts[0], 16):x}{second}{excluded}}},"


def class_ranges():
    first, last, kind = 0, -2, 0
    for code in range(sys.maxunicode + 2):
        now = unicodedata.combining(chr(code)) if code <= sys.maxunicode else 0
        if now == kind and code == last + 1:
            last = code
            continue
        if kind:
            yield f"{{0x{first:x},0x{last:x},{kind}}},"
        first, last, kind = code, code, now


def main():
    OUT.write_text(f"""// Made by make_normal_form_table.py from Unicode {unicodedata.unidata_version}; not to be edited.
#include "datasets/text/normal_form.h"

namespace headroom::normal_form_table {{
namespace {{

// clang-format off
constexpr Decomposition kDecompositions[] = {{
{rows(decompositions())}
}};

constexpr ClassRange kClasses[] = {{
{rows(class_ranges())}
}};
// clang-format on

}}  // namespace

std::span<const Decomposition> decompositions() {{
    return kDecompositions;
}}

std::span<const ClassRange> combining_classes() {{
    return kClasses;
}}

}}  // namespace headroom::normal_form_table
""")


if __name__ == "__main__":
    main()

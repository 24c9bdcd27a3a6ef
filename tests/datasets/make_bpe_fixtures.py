#!/usr/bin/env python3
"""Writes tests/datasets/fixtures: a small byte-pair vocabulary (the first 500 merges of GPT-2's) and
golden encodings made by tiktoken and Hugging Face tokenizers, which must agree.

    python3 -m venv VENV && VENV/bin/pip install tiktoken==0.14.0 tokenizers==0.23.3
    VENV/bin/python tests/datasets/make_bpe_fixtures.py FOLDER

FOLDER holds encoder.json and vocab.bpe of the GPT-2 release.
"""
import json
import pathlib
import sys

import tiktoken
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
END = "<|endoftext|>"
HERE = pathlib.Path(__file__).resolve().parent / "fixtures"

CASES = [
    "", " ", "  ", "a", "Hello world", " Hello  world ", "don't we'll they're I'd you've I'm he's",
    "DON'T 'S 's's 'sx", "tabs\t\tand\nnew\n\nlines\r\n", "trailing   ", "\n\n  indented\n    more",
    "3.14159 and 1000000", "x1y2", "1st 2nd", "a_b-c", "!!!???...", "(a) [b] {c}", "“quoted” — ‘it’s’",
    "naïve café", "e\u0301 combining", "Straße", "Ελληνικά", "русский текст", "עברית", "العربية ١٢٣",
    "漢字かな交じり文", "한국어", "हिन्दी", "🙂🙃 👩‍👩‍👧", "\u00a0no-break\u00a0\u00a0space", "\u3000wide\u2003space",
    "\u0085next\u2028line\u2029para", "\u180emongolian", "\u200bzero\ufeffwidth", "\x1c\x1f\x0b\x0ccontrol",
    "² ½ Ⅷ ٣", "the the the the", "thethethethe", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", END, "a" + END + "b",
    "<|endoftext", "First Citizen:\nBefore we proceed any further, hear me speak.\n", "\U0001d54f\U0001f600",
]


def byte_of_spelling():
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(rest)}


def encoders(ids, merges):
    """tiktoken's and Hugging Face's encoder of the same vocabulary."""
    spell = byte_of_spelling()
    ranks = {bytes(spell[c] for c in k): v for k, v in ids.items() if k != END}
    tik = tiktoken.Encoding("x", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={END: ids[END]})
    face = Tokenizer(models.BPE(ids, merges))
    face.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    face.decoder = decoders.ByteLevel()
    plain = Tokenizer.from_str(face.to_str())
    face.add_special_tokens([END])
    return tik, face, plain


def golden(tik, face, plain, text):
    ordinary, special = tik.encode_ordinary(text), tik.encode(text, allowed_special="all")
    assert END in text or plain.encode(text).ids == ordinary, text
    assert face.encode(text).ids == special, text
    return ordinary, special


def main():
    source = pathlib.Path(sys.argv[1])
    ids = json.loads((source / "encoder.json").read_text("utf-8"))
    lines = (source / "vocab.bpe").read_text("utf-8").split("\n")
    merges = [tuple(line.split(" ")) for line in lines[1:] if line]
    small_merges = merges[:500]
    small_ids = {k: v for k, v in ids.items() if v < 256 + len(small_merges)} | {END: 256 + len(small_merges)}
    small, full = encoders(small_ids, small_merges), encoders(ids, merges)
    HERE.mkdir(exist_ok=True)
    (HERE / "encoder.json").write_text(json.dumps(small_ids) + "\n")
    (HERE / "vocab.bpe").write_text("\n".join(lines[:501]) + "\n", "utf-8")
    small[1].save(str(HERE / "tokenizer.json"), pretty=False)
    with open(HERE / "bpe_golden.txt", "w") as out:
        out.write("# Made by tests/datasets/make_bpe_fixtures.py (see there) with tiktoken "
                  f"{tiktoken.__version__}.\n# One JSON list a line: text, ids with the small vocabulary, "
                  "ids with GPT-2's, each without and with special tokens.\n")
        for text in CASES:
            out.write(json.dumps([text, *golden(*small, text), *golden(*full, text)]) + "\n")


if __name__ == "__main__":
    main()

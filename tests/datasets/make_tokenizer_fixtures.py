#!/usr/bin/env python3
"""Writes the small vocabularies tests/datasets/fixtures/{llama,t5}.json and {unigram,bpe}.model, and
tokenizer_golden.txt: what Hugging Face tokenizers and sentencepiece make of awkward texts with them, and
with variants of fixtures/tokenizer.json.

    python3 -m venv VENV && VENV/bin/pip install tokenizers==0.23.3 sentencepiece==0.2.3
    VENV/bin/python tests/datasets/make_tokenizer_fixtures.py
"""
import base64
import json
import pathlib
import tempfile

import sentencepiece
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).resolve().parent / "fixtures"

TEXTS = [
    "", " ", "  a", "Hello world", " Hello  world ", "don't we'LL It's 'ſ", "tabs\t\tand\nnew\n\nlines\r\n  x",
    "3.14159 and 1000000", "x1y2 ٣ Ⅷ ½", "!!!???...(a) [b] {c}", "naïve café e\u0301 a\u0323\u0302 각", "Straße Ελληνικά русский",
    "漢字かな交じり文", "한국어 हिन्दी", "🙂🙃 👩‍👩‍👧 🇩🇪", "\u00a0no\u3000wide\u2003space\u0085next\u2028", "\u180e\u200b\ufeff\x00\x01",
    "<s>a</s> b <|endoftext|>c", "<unk> <0x41> ▁ ▁▁a", "the the thethe", "def f(x):\n        return x**2", "ＡＢＣ ﬁx ①", "a king's kingdom  the",
    "Now are our brows bound with victorious wreaths;", "İı ǅ \U0001d54f",
]
CORPUS = [
    "First Citizen: Before we proceed any further, hear me speak.", "All: Speak, speak.",
    "You are all resolved rather to die than to famish?", "First, you know Caius Marcius is chief enemy to the people.",
    "Let us kill him, and we'll have corn at our own price.", "The gods know I speak this in hunger for bread, not in thirst.",
    "Now is the winter of our discontent made glorious summer by this sun of York;", "def f(x): return x**2 + 1",
    "naïve café, Straße, the king's kingdom; 漢字 12 345", "And all the clouds that lour'd upon our house",
]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
MARK = "▁"


def split(expression):
    return {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}


def added(number, content, **options):
    defaults = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return {"id": number, "content": content, **defaults, **options}


END = added(756, "<|endoftext|>", special=True)
PREFIXED = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
VARIANTS = {  # merge patches of a fixture
    "tokenizer.json": [
        {},
        {"pre_tokenizer": split(LLAMA3), "model": {"ignore_merges": True}},
        {"pre_tokenizer": split(LLAMA3.replace("{1,3}", "")), "normalizer": {"type": "NFC"}},
        {"normalizer": {"type": "NFC"},
         "added_tokens": [END, *(added(755 + k, " " * k, normalized=True) for k in range(2, 9))]},
        {"pre_tokenizer": PREFIXED, "added_tokens": [
            END, added(757, "<s>", special=True, lstrip=True), added(758, "</s>", special=True, rstrip=True),
            added(759, "king", single_word=True), added(760, "the")]},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Punctuation", "behavior": "MergedWithPrevious"}, {"type": "Digits", "individual_digits": True},
            {"type": "Split", "pattern": {"String": "e"}, "behavior": "MergedWithNext", "invert": False},
            {"type": "Split", "pattern": {"Regex": "[a-c]+"}, "behavior": "Contiguous", "invert": True},
            {"type": "WhitespaceSplit"},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]},
         "normalizer": {"type": "Sequence", "normalizers": [
             {"type": "NFD"}, {"type": "Strip", "strip_left": True, "strip_right": True},
             {"type": "Replace", "pattern": {"Regex": r"\d\d"}, "content": "#"}]}},
    ],
    "llama.json": [
        {},
        {"normalizer": None, "pre_tokenizer": {
            "type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": False}},
        {"model": {"byte_fallback": False}},
        {"model": {"byte_fallback": False, "fuse_unk": False}},
    ],
    "t5.json": [
        {},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": MARK, "add_prefix_space": True}]}},
    ],
}


def train(folder, kind, **options):
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(CORPUS), "utf-8")
    rules = folder / "rules.tsv"
    rules.write_text("FF21\t41\nFB01\t66 69\n2460\t31\n3000\t20\nA0\t20\n9\t20\nA\t20\n65 301\tE9\n", "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / kind), model_type=kind, minloglevel=2, num_threads=1,
        normalization_rule_tsv=str(rules), character_coverage=0.98, hard_vocab_limit=False, **options)
    model = (folder / f"{kind}.model").read_bytes()
    (HERE / f"{kind}.model").write_bytes(model)
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def charsmap_of(processor):
    """precompiled_charsmap out of the serialised normalizer_spec (field 3, then 2)."""
    def fields(data):
        at = 0
        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(data):
            tag = varint()
            size = {0: 0, 1: 8, 5: 4}.get(tag & 7)
            if tag & 7 == 0:
                yield tag >> 3, varint()
                continue
            size = varint() if size is None else size
            yield tag >> 3, data[at:at + size]
            at += size
    spec = dict(fields(processor.serialized_model_proto()))[3]
    return base64.b64encode(dict(fields(spec))[2]).decode()


def template(before, behind, vocabulary):
    item = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
    single = [*map(item, before), {"Sequence": {"id": "A", "type_id": 0}}, *map(item, behind)]
    tokens = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in [*before, *behind]}
    return {"type": "TemplateProcessing", "single": single, "special_tokens": tokens,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}]}


def write_llama(bpe):
    """As Hugging Face converts Llama 2's .model: merges are the pairs that make a piece, by its score."""
    vocabulary = {bpe.id_to_piece(i): i for i in range(bpe.get_piece_size())}
    merges = []
    for piece, number in vocabulary.items():
        if bpe.is_byte(number) or bpe.is_control(number) or bpe.is_unknown(number):
            continue
        pairs = [(piece[:k], piece[k:]) for k in range(1, len(piece))]
        merges += [(number, pair) for pair in pairs if all(half in vocabulary for half in pair)]
    specials = [added(vocabulary[name], name, special=True) for name in ("<unk>", "<s>", "</s>")]
    (HERE / "llama.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": specials,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": MARK},
            {"type": "Replace", "pattern": {"String": " "}, "content": MARK}]},
        "pre_tokenizer": None, "post_processor": template(["<s>"], [], vocabulary),
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": MARK}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": vocabulary,
                  "merges": [list(pair) for _, pair in sorted(merges)]}}) + "\n")


def write_t5(unigram):
    pieces = [[unigram.id_to_piece(i), unigram.get_score(i)] for i in range(unigram.get_piece_size())]
    vocabulary = {piece: i for i, (piece, _) in enumerate(pieces)}
    (HERE / "t5.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [*(added(vocabulary[name], name, special=True) for name in ("<unk>", "<s>", "</s>")),
                         added(len(pieces), "<extra_id_0>", special=True)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": charsmap_of(unigram)},
            {"type": "Strip", "strip_left": False, "strip_right": True},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": MARK}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True},
        "post_processor": template([], ["</s>"], vocabulary),
        "decoder": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False}}) + "\n")


def patched(document, patch):
    for key, value in patch.items():
        document[key] = patched(document[key], value) if key == "model" else value
    return document


def write_case(out, text, ids, special, decoded):
    out.write(json.dumps([text, ids, None if special == ids else special, None if decoded == text else decoded]) + "\n")


def golden_json(out, name, patch):
    out.write(json.dumps([name, patch]) + "\n")
    document = patched(json.loads((HERE / name).read_text()), patch)
    tokenizer = Tokenizer.from_str(json.dumps(document))
    for text in TEXTS:
        tokenizer.encode_special_tokens = True
        ordinary = tokenizer.encode(text, add_special_tokens=False).ids
        tokenizer.encode_special_tokens = False
        special = tokenizer.encode(text, add_special_tokens=False).ids
        decoded = tokenizer.decode(ordinary, skip_special_tokens=False)
        write_case(out, text, ordinary, special, decoded)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        unigram = train(folder, "unigram", vocab_size=220, user_defined_symbols=["漢字", "the king"])
        bpe = train(folder, "bpe", vocab_size=520, byte_fallback=True, remove_extra_whitespaces=False)
    write_llama(bpe)
    write_t5(unigram)
    with open(HERE / "tokenizer_golden.txt", "w") as out:
        out.write("# Made by tests/datasets/make_tokenizer_fixtures.py (see there). One JSON list a line: a "
                  "fixture\n# and a merge patch of it, then its cases: text, ids, ids where special tokens may be "
                  "spelled out\n# (null: the same) and the decoded ids (null: the text).\n")
        for name, patches in VARIANTS.items():
            for patch in patches:
                golden_json(out, name, patch)
        for name, model in (("unigram.model", unigram), ("bpe.model", bpe)):
            out.write(json.dumps([name, {}]) + "\n")
            for text in TEXTS:
                ids = model.encode(text)
                write_case(out, text, ids, ids, model.decode(ids))


if __name__ == "__main__":
    main()

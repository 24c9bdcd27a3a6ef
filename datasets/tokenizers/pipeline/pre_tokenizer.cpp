#include "datasets/tokenizers/pipeline/pre_tokenizer.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "datasets/tokenizers/pipeline/pattern_part.h"

namespace headroom {
namespace {

constexpr char kByteLevel[] =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Punctuation of ASCII, and of Unicode 8, which is the version of the crate that asks for it: some
/// of what it is today came later, and two characters have become something else.
constexpr char kPunctuation[] =
    R"((?![)"
    R"(\x{61d}\x{9fd}\x{a76}\x{c77}\x{c84}\x{1b7d}-\x{1b7e}\x{2e43}-\x{2e4f})"
    R"(\x{2e52}-\x{2e5d}\x{10ead}\x{10f55}-\x{10f59}\x{10f86}-\x{10f89}\x{1144b}-\x{1144f})"
    R"(\x{1145a}-\x{1145b}\x{1145d}\x{11660}-\x{1166c}\x{116b9}\x{1183b}\x{11944}-\x{11946})"
    R"(\x{119e2}\x{11a3f}-\x{11a46}\x{11a9a}-\x{11a9c}\x{11a9e}-\x{11aa2})"
    R"(\x{11c41}-\x{11c45}\x{11c70}-\x{11c71}\x{11ef7}-\x{11ef8}\x{11fff})"
    R"(\x{12ff1}-\x{12ff2}\x{16e97}-\x{16e9a}\x{16fe2}\x{1e95e}-\x{1e95f})"
    R"(])[!-/:-@\[-`{-~\p{P}\x{166d}\x{111c9}])";

/// A part of a text, a match or what stands between two.
struct Span {
    size_t start, end;
    bool is_match;
};

std::vector<Span> spans_of(const TextPattern& pattern, std::string_view text, bool invert) {
    std::vector<Span> spans;
    size_t done = 0;
    pattern.find_all(text, [&](size_t start, size_t end) {
        if (done != start) spans.push_back({done, start, invert});
        spans.push_back({start, end, !invert});
        done = end;
    });
    if (done != text.size()) spans.push_back({done, text.size(), invert});
    return spans;
}

/// Joins every match to its neighbour on one side, unless that is a match too.
std::vector<Span> with_neighbours(const std::vector<Span>& spans, bool next) {
    std::vector<Span> joined;
    bool previous_is_match = false;
    for (size_t i = 0; i < spans.size(); ++i) {
        const Span& span = spans[next ? spans.size() - 1 - i : i];
        const bool joins = span.is_match && !previous_is_match && !joined.empty();
        previous_is_match = span.is_match;
        if (!joins) {
            joined.push_back(span);
        } else if (next) {
            joined.back().start = span.start;
        } else {
            joined.back().end = span.end;
        }
    }
    if (next) return {joined.rbegin(), joined.rend()};
    return joined;
}

std::vector<Span> contiguous(const std::vector<Span>& spans) {
    std::vector<Span> joined;
    for (const Span& span : spans) {
        if (!joined.empty() && joined.back().is_match == span.is_match) {
            joined.back().end = span.end;
        } else {
            joined.push_back(span);
        }
    }
    return joined;
}

using Behavior = PreTokenizer::Behavior;

Behavior behavior_of(const JsonPart& part, const std::string& name) {
    constexpr std::array<std::pair<std::string_view, Behavior>, 5> kNames{{
        {"Removed", Behavior::kRemoved},
        {"Isolated", Behavior::kIsolated},
        {"MergedWithPrevious", Behavior::kWithPrevious},
        {"MergedWithNext", Behavior::kWithNext},
        {"Contiguous", Behavior::kContiguous},
    }};
    for (const auto& [known, behavior] : kNames)
        if (name == known) return behavior;
    part.refuse("behavior \"" + name + "\" is not known",
                "known are Removed, Isolated, MergedWithPrevious, MergedWithNext and Contiguous");
}

std::vector<Span> behaved(std::vector<Span> spans, Behavior behavior) {
    if (behavior == Behavior::kContiguous) return contiguous(spans);
    if (behavior == Behavior::kWithPrevious || behavior == Behavior::kWithNext)
        return with_neighbours(spans, behavior == Behavior::kWithNext);
    return spans;
}

enum class Prepend { kAlways, kFirst, kNever };

Prepend prepend_scheme(const JsonPart& part) {
    const bool older = part.flag("add_prefix_space", true);  // before prepend_scheme
    const std::string name = part.text("prepend_scheme", older ? "always" : "never");
    if (name == "always") return Prepend::kAlways;
    if (name == "first") return Prepend::kFirst;
    if (name == "never") return Prepend::kNever;
    part.refuse("prepend_scheme \"" + name + "\" is not known",
                "known are always, first and never");
}

std::string with_spaces_as(std::string_view text, const std::string& replacement) {
    std::string out;
    for (const char c : text) c == ' ' ? out += replacement : out += c;
    return out;
}

}  // namespace

PreTokenizer::PreTokenizer(const JsonPart& part) {
    add(part, 0);
}

void PreTokenizer::add(const JsonPart& part, int depth) {
    part.check_depth(depth);
    if (byte_level_) part.refuse("it stands behind ByteLevel", "ByteLevel has to be the last");
    const std::string type = part.type();
    const std::string& where = part.where();
    if (type == "Sequence") {
        for (const JsonPart& inner : part.parts("pretokenizers")) add(inner, depth + 1);
    } else if (type == "Split") {
        add_split(read_pattern(part), behavior_of(part, part.text("behavior")),
                  part.flag("invert", false));
    } else if (type == "ByteLevel") {
        add_byte_level(part);
    } else if (type == "Metaspace") {
        add_metaspace(part);
    } else if (type == "Digits") {
        const bool each = part.flag("individual_digits", false);
        add_split(TextPattern::regex(R"(\p{N})", where),
                  each ? Behavior::kIsolated : Behavior::kContiguous, false);
    } else if (type == "Punctuation") {
        add_split(TextPattern::regex(kPunctuation, where),
                  behavior_of(part, part.text("behavior", "Isolated")), false);
    } else if (type == "Whitespace") {
        const std::string word = rust_word_characters();
        add_split(TextPattern::regex(fmt::format(R"([{0}]+|[^{0}\s]+)", word), where),
                  Behavior::kRemoved, true);
    } else if (type == "WhitespaceSplit") {
        add_split(TextPattern::regex(R"(\s)", where), Behavior::kRemoved, false);
    } else if (type == "CharDelimiterSplit") {
        const std::string delimiter = part.text("delimiter");
        if (delimiter.empty()) part.refuse("delimiter is empty", "expect one character");
        add_split(TextPattern::literal(delimiter), Behavior::kRemoved, false);
    } else {
        part.refuse_kind(
            "Split, ByteLevel, Metaspace, Digits, Punctuation, Whitespace, WhitespaceSplit, "
            "CharDelimiterSplit and Sequence");
    }
}

void PreTokenizer::add_split(TextPattern pattern, Behavior behavior, bool invert) {
    steps_.emplace_back([pattern = std::move(pattern), behavior, invert](
                            std::string_view text, bool starts_text, const Pieces& piece) {
        for (const Span& span : behaved(spans_of(pattern, text, invert), behavior)) {
            const bool removed = behavior == Behavior::kRemoved && span.is_match;
            if (!removed && span.start < span.end)
                piece(text.substr(span.start, span.end - span.start),
                      starts_text && span.start == 0);
        }
    });
}

void PreTokenizer::add_byte_level(const JsonPart& part) {
    if (part.flag("add_prefix_space", true))
        steps_.emplace_back([](std::string_view text, bool starts_text, const Pieces& piece) {
            if (text.starts_with(' ')) return piece(text, starts_text);
            std::string spaced(1, ' ');
            spaced += text;
            piece(spaced, starts_text);
        });
    if (part.flag("use_regex", true))
        add_split(TextPattern::regex(kByteLevel, part.where()), Behavior::kIsolated, false);
    byte_level_ = true;
}

void PreTokenizer::add_metaspace(const JsonPart& part) {
    const std::string mark = part.text("replacement", "▁");
    if (mark.empty()) part.refuse("replacement is empty", "expect ▁");
    const Prepend prepend = prepend_scheme(part);
    steps_.emplace_back(
        [mark, prepend](std::string_view text, bool starts_text, const Pieces& piece) {
            std::string marked = with_spaces_as(text, mark);
            const bool wanted =
                prepend == Prepend::kAlways || (prepend == Prepend::kFirst && starts_text);
            if (wanted && !marked.starts_with(mark)) marked.insert(0, mark);
            piece(marked, starts_text);
        });
    if (part.flag("split", true)) add_split(TextPattern::literal(mark), Behavior::kWithNext, false);
}

void PreTokenizer::run(size_t step, std::string_view text, bool starts_text,
                       const Piece& piece) const {
    if (text.empty()) return;
    if (step == steps_.size()) return piece(text);
    steps_[step](text, starts_text,
                 [&](std::string_view next, bool starts) { run(step + 1, next, starts, piece); });
}

}  // namespace headroom

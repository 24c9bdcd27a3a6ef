#include "datasets/tokenizers/pipeline/normalizer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "datasets/text/base64.h"
#include "datasets/text/normal_form.h"
#include "datasets/text/white_space.h"
#include "datasets/tokenizers/charsmap.h"
#include "datasets/tokenizers/pipeline/pattern_part.h"

namespace headroom {
namespace {

/// Bytes of white space at the front.
size_t white_at_front(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        size_t next = at;
        if (!is_white_space(next_code_point(text, next))) break;
        at = next;
    }
    return at;
}

/// Bytes before the white space at the end.
size_t size_without_white_end(std::string_view text) {
    size_t kept = 0;
    for (size_t at = 0; at < text.size();)
        if (!is_white_space(next_code_point(text, at))) kept = at;
    return kept;
}

/// SentencePiece's rules as Hugging Face's Precompiled applies them: a grapheme cluster of up to
/// five bytes becomes what the shortest rule makes of its beginning, else each character by itself.
std::string apply_rules(const Charsmap& rules, const TextPattern& clusters, std::string_view text) {
    std::string out;
    const auto apply_to = [&](std::string_view part) {
        const Charsmap::Rule rule = rules.shortest(part);
        if (rule.length > 0) out += rule.replacement;
        return rule.length > 0;
    };
    clusters.find_all(text, [&](size_t start, size_t end) {
        const std::string_view cluster = text.substr(start, end - start);
        if (cluster.size() < 6 && apply_to(cluster)) return;
        for (size_t at = 0; at < cluster.size();) {
            const size_t first = at;
            next_code_point(cluster, at);
            const std::string_view part = cluster.substr(first, at - first);
            if (!apply_to(part)) out += part;
        }
    });
    return out;
}

}  // namespace

TextPattern read_pattern(const JsonPart& part) {
    const JsonPart pattern = part.part("pattern");
    const std::string expression = pattern.text("Regex"), literal = pattern.text("String");
    if (expression.empty() == literal.empty())
        pattern.refuse("it is neither a String nor a Regex", "expect one of them, not empty");
    return literal.empty() ? TextPattern::regex(expression, part.where())
                           : TextPattern::literal(literal);
}

Normalizer::Normalizer(const JsonPart& part) {
    add(part, 0);
}

void Normalizer::add(const JsonPart& part, int depth) {
    part.check_depth(depth);
    const std::string type = part.type();
    if (type == "Sequence") {
        for (const JsonPart& inner : part.parts("normalizers")) add(inner, depth + 1);
    } else if (type == "NFC") {
        steps_.emplace_back(to_nfc);
    } else if (type == "NFD") {
        steps_.emplace_back(to_nfd);
    } else if (type == "Prepend") {
        steps_.emplace_back([before = part.text("prepend")](std::string_view text) {
            return text.empty() ? std::string() : before + std::string(text);
        });
    } else if (type == "Strip") {
        const bool left = part.flag("strip_left", true), right = part.flag("strip_right", true);
        steps_.emplace_back([left, right](std::string_view text) {
            if (right) text = text.substr(0, size_without_white_end(text));
            if (left) text.remove_prefix(white_at_front(text));
            return std::string(text);
        });
    } else if (type == "Replace") {
        add_replace(part);
    } else if (type == "Precompiled") {
        add_precompiled(part);
    } else {
        part.refuse_kind("NFC, NFD, Prepend, Replace, Strip, Precompiled and Sequence");
    }
}

void Normalizer::add_replace(const JsonPart& part) {
    steps_.emplace_back(
        [pattern = read_pattern(part), content = part.text("content")](std::string_view text) {
            std::string out;
            size_t done = 0;
            pattern.find_all(text, [&](size_t start, size_t end) {
                out += text.substr(done, start - done);
                out += content;
                done = end;
            });
            out += text.substr(done);
            return out;
        });
}

void Normalizer::add_precompiled(const JsonPart& part) {
    std::string bytes;
    if (!decode_base64(part.text("precompiled_charsmap"), bytes))
        part.refuse("precompiled_charsmap is not base64", "take the file from its source");
    const Charsmap rules(bytes, part.where());
    if (rules.empty()) return;
    steps_.emplace_back([rules, clusters = TextPattern::grapheme_clusters()](
                            std::string_view text) { return apply_rules(rules, clusters, text); });
}

std::string Normalizer::apply(std::string_view text) const {
    std::string now(text);
    for (const Step& step : steps_) now = step(now);
    return now;
}

}  // namespace headroom

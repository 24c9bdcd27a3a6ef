#include "datasets/tokenizers/pipeline/decoder.h"

#include "core/base/error.h"
#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/pipeline/vocabulary_json.h"

namespace headroom {
namespace {

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
    std::string out;
    size_t done = 0;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
        out += text.substr(done, at - done) + to;
        done = at + from.size();
    }
    return out + text.substr(done);
}

}  // namespace

TokenDecoder::TokenDecoder(const JsonPart& part) {
    add(part, 0);
}

void TokenDecoder::add(const JsonPart& part, int depth) {
    part.check_depth(depth);
    const std::string type = part.type();
    if (type == "Sequence") {
        for (const JsonPart& inner : part.parts("decoders")) add(inner, depth + 1);
    } else if (type == "ByteLevel") {
        byte_level_ = true;
    } else if (type == "ByteFallback") {
        byte_fallback_ = true;
    } else if (type == "Replace") {
        const std::string from = part.part("pattern").text("String");
        if (from.empty()) part.refuse("its pattern is no String", "expressions are not read here");
        replacements_.emplace_back(from, part.text("content"));
    } else if (type == "Metaspace") {
        replacements_.emplace_back(part.text("replacement", "▁"), " ");
        if (replacements_.back().first.empty()) part.refuse("replacement is empty", "expect ▁");
        const std::string older = part.flag("add_prefix_space", true) ? "always" : "never";
        strips_first_space_ = part.text("prepend_scheme", older) != "never";
    } else if (type == "Strip") {
        add_strip(part);
    } else if (type != "Fuse") {
        part.refuse_kind("ByteLevel, ByteFallback, Replace, Metaspace, Strip, Fuse and Sequence");
    }
}

void TokenDecoder::add_strip(const JsonPart& part) {
    const bool usual =
        part.text("content") == " " && part.number("start", 0) == 1 && part.number("stop", 0) == 0;
    if (!usual) part.refuse_kind("one space at the start (content \" \", start 1, stop 0)");
    strips_first_space_ = true;
}

std::string TokenDecoder::bytes_of(const std::string& spelling) const {
    if (byte_level_) return bytes_of_spelling(spelling).value_or(spelling);
    if (const int byte = byte_of_token(spelling); byte_fallback_ && byte >= 0)
        return std::string(1, static_cast<char>(byte));
    std::string text = spelling;
    for (const auto& [from, to] : replacements_) text = replaced(text, from, to);
    return text;
}

}  // namespace headroom

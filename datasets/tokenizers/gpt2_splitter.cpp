#include "datasets/tokenizers/gpt2_splitter.h"

#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "datasets/tokenizers/pcre.h"

namespace headroom {
namespace {

/// GPT-2's encoder.py:
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// with \s written out.
std::string gpt2_pattern() {
    const std::string white(kWhiteSpace);
    return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{L}\p{N})" + white + "]+|[" + white +
           "]+(?![^" + white + "])|[" + white + "]+";
}

}  // namespace

struct Gpt2Splitter::Code {
    pcre2_code* regex = nullptr;
    Code() = default;
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code() { pcre2_code_free(regex); }
};

Gpt2Splitter::Gpt2Splitter() : code_(std::make_unique<Code>()) {
    int error = 0;
    size_t at = 0;
    const std::string pattern = gpt2_pattern();
    // Anchored here and not when matching: the just-in-time code has no such option.
    code_->regex = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                 PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED, &error, &at, nullptr);
    if (code_->regex == nullptr)
        throw EnvironmentError(
            fmt::format("PCRE2 refuses GPT-2's pattern at {}: {}", at, pcre_message(error)),
            "install a PCRE2 library with Unicode support");
    pcre2_jit_compile(code_->regex, PCRE2_JIT_COMPLETE);  // without it, matching is only slower
}

Gpt2Splitter::~Gpt2Splitter() = default;

void Gpt2Splitter::split(std::string_view text,
                         const std::function<void(std::string_view)>& piece) const {
    const std::unique_ptr<pcre2_match_data, FreeMatch> match(
        pcre2_match_data_create_from_pattern(code_->regex, nullptr));
    if (!match) throw std::bad_alloc();
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    for (size_t at = 0; at < text.size();) {
        const int found = pcre2_match(code_->regex, subject, text.size(), at, PCRE2_NO_UTF_CHECK,
                                      match.get(), nullptr);
        CHECK(found > 0, fmt::format("GPT-2's pattern at {}: {}", at, pcre_message(found)));
        const size_t end = pcre2_get_ovector_pointer(match.get())[1];
        CHECK(end > at, "GPT-2's pattern matched nothing");
        piece(text.substr(at, end - at));
        at = end;
    }
}

}  // namespace headroom

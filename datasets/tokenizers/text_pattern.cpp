#include "datasets/tokenizers/text_pattern.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "datasets/tokenizers/pcre.h"

namespace headroom {
namespace {

struct FreeContext {
    void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

size_t next_character(std::string_view text, size_t at) {
    do ++at;
    while (at < text.size() && continues_character(text[at]));
    return at;
}

}  // namespace

struct TextPattern::Code {
    pcre2_code* regex = nullptr;

    explicit Code(const std::string& pattern, const std::string& source) {
        const std::unique_ptr<pcre2_compile_context, FreeContext> context(
            pcre2_compile_context_create(nullptr));
        if (!context) throw std::bad_alloc();
        pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
        int error = 0;
        size_t at = 0;
        regex = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                              &error, &at, context.get());
        if (regex == nullptr)
            throw UserError(fmt::format("{}: the expression \"{}\" is wrong: {}", source,
                                        printable(pattern, 80), pcre_message(error)),
                            "see its pre_tokenizer and normalizer");
        pcre2_jit_compile(regex, PCRE2_JIT_COMPLETE);  // without it, matching is only slower
    }
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code() { pcre2_code_free(regex); }

    /// What pcre2_match returns; the just-in-time code has a small stack, the interpreter has not.
    int match(std::string_view text, size_t at, uint32_t options, pcre2_match_data* data) const {
        const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
        const uint32_t all = options | PCRE2_NO_UTF_CHECK;
        const int found = pcre2_match(regex, subject, text.size(), at, all, data, nullptr);
        if (found != PCRE2_ERROR_JIT_STACKLIMIT) return found;
        return pcre2_match(regex, subject, text.size(), at, all | PCRE2_NO_JIT, data, nullptr);
    }
};

TextPattern TextPattern::regex(const std::string& expression, const std::string& source) {
    if (find_invalid_utf8(expression) != std::string::npos)
        throw UserError(source + ": an expression is not UTF-8", "see its pre_tokenizer");
    TextPattern pattern;
    pattern.text_ = expression;
    pattern.code_ = std::make_shared<const Code>(pcre_of_oniguruma(expression, source), source);
    return pattern;
}

TextPattern TextPattern::literal(std::string text) {
    CHECK(!text.empty(), "a text to look for");
    TextPattern pattern;
    pattern.text_ = std::move(text);
    return pattern;
}

TextPattern TextPattern::grapheme_clusters() {
    TextPattern pattern;
    pattern.text_ = "\\X";
    pattern.code_ = std::make_shared<const Code>(pattern.text_, "grapheme clusters");
    return pattern;
}

void TextPattern::find_literal(std::string_view text, const Found& found) const {
    for (size_t at = text.find(text_); at != std::string_view::npos;
         at = text.find(text_, at + text_.size()))
        found(at, at + text_.size());
}

void TextPattern::find_all(std::string_view text, const Found& found) const {
    if (!code_) return find_literal(text, found);
    const std::unique_ptr<pcre2_match_data, FreeMatch> match(pcre2_match_data_create(1, nullptr));
    if (!match) throw std::bad_alloc();
    const size_t* range = pcre2_get_ovector_pointer(match.get());
    for (size_t at = 0; at <= text.size();) {
        const int result = code_->match(text, at, 0, match.get());
        if (result == PCRE2_ERROR_NOMATCH) return;
        if (result < 0)
            throw UserError(fmt::format("the expression \"{}\" gives up at byte {} of the text: {}",
                                        printable(text_, 80), at, pcre_message(result)),
                            "use shorter texts or another tokenizer");
        const size_t start = range[0], end = range[1];
        if (end < start || start < at) return;  // a look-behind moved the start
        found(start, end);
        at = end > start ? end : next_character(text, end);
    }
}

}  // namespace headroom

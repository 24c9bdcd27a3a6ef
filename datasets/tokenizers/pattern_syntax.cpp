// Oniguruma's Ruby syntax (doc/RE of its release) in PCRE2's.
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "datasets/tokenizers/pcre.h"
#include "datasets/tokenizers/text_pattern.h"

namespace headroom {
namespace {

constexpr size_t kLongestExpression = size_t{1} << 16;

/// What is alphabetic, marks, decimal digits and connectors. Written out, since PCRE2 knows the
/// property Alphabetic from 10.40 on.
constexpr std::string_view kWord =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149})"
    R"(\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
/// Oniguruma counts the raised digits and the fractions of Latin-1 to it, but not in a class.
constexpr std::string_view kLatinNumbers = R"(\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLongNames{{
    {"Letter", "L"},
    {"Mark", "M"},
    {"Number", "N"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Other", "C"},
    {"Any", "Any"},
}};

class Translator {
  public:
    Translator(std::string_view in, const std::string& source) : in_(in), source_(source) {}

    std::string run() {
        while (at_ < in_.size()) in_class_ ? class_character() : character();
        if (in_class_) refuse("a [ has no ]");
        return std::move(out_);
    }

  private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw UserError(fmt::format("{}: the expression \"{}\" cannot be read: {}", source_,
                                    printable(in_, 80), what),
                        "use a tokenizer whose expressions need no such construct");
    }

    char peek(size_t ahead = 0) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
    void copy(size_t count) {
        out_ += in_.substr(at_, count);
        at_ = std::min(at_ + count, in_.size());
    }

    void character() {
        const char c = peek();
        if (c == '\\') return escape();
        if (c == '[') return open_class();
        if (c == '(') return group();
        if (c == '{') return repetition();
        copy(1);
    }

    void open_class() {
        in_class_ = true;
        copy(peek(1) == '^' ? 2 : 1);
        if (peek() == ']') refuse("a class starts with ]");
    }

    void class_character() {
        const char c = peek();
        if (c == '\\') return escape();
        if (c == '[') refuse("a class stands in a class");
        if (c == '&' && peek(1) == '&') refuse("classes are intersected");
        if (c == ']') in_class_ = false;
        copy(1);
    }

    /// ( and what says what kind of group it is.
    void group() {
        if (peek(1) == '*') refuse("(* starts no group");
        if (peek(1) != '?') return copy(1);
        for (const std::string_view plain : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!"})
            if (in_.substr(at_, plain.size()) == plain) return copy(plain.size());
        copy(2);
        bool any = false;
        for (; std::isalpha(static_cast<unsigned char>(peek())) || peek() == '-'; ++at_) {
            const char option = peek();
            if (option != 'i' && option != 'm' && option != 'x' && option != '-')
                refuse(fmt::format("(?{} is not known", option));
            out_ += option == 'm' ? 's' : option;  // Ruby's m lets a dot match line ends
            any = true;
        }
        if (!any || (peek() != ':' && peek() != ')')) refuse("a group of an unknown kind");
        copy(1);
    }

    /// {n,m}: PCRE2 has no {,m}, and reads a + or ? behind it otherwise.
    void repetition() {
        size_t end = 1, commas = 0;
        for (; std::isdigit(static_cast<unsigned char>(peek(end))) || peek(end) == ','; ++end)
            commas += peek(end) == ',';
        const bool counts = peek(end) == '}' && end > 1 && commas <= 1 && end - commas > 1;
        if (!counts) {
            out_ += '\\';
            return copy(1);
        }
        if (peek(end + 1) == '+' || (peek(end + 1) == '?' && commas == 0))
            refuse("a + or ? stands behind {n}");
        if (peek(1) == ',') {
            out_ += "{0";
            ++at_;
            --end;
        }
        copy(end + 1);
    }

    void put_set(std::string_view set, bool negated) {
        if (in_class_ && negated) refuse("a negated kind of character stands in a class");
        out_ += in_class_ ? std::string(set) : fmt::format("[{}{}]", negated ? "^" : "", set);
        at_ += 2;
    }

    void escape() {
        const char c = peek(1);
        if (c == 's' || c == 'S') return put_set(kWhiteSpace, c == 'S');
        if (c == 'w' || c == 'W')
            return put_set(fmt::format("{}{}", kWord, in_class_ ? "" : kLatinNumbers), c == 'W');
        if (c == 'p' || c == 'P') return property();
        if (c == 'x' || c == 'u') return code_point();
        if (c == 'd' || c == 'D' || c == 'v') {
            out_ += c == 'd' ? "\\p{Nd}" : c == 'D' ? "\\P{Nd}" : "\\x{b}";
            at_ += 2;
            return;
        }
        const bool same = std::string_view("tnrfae").find(c) != std::string_view::npos;
        const bool anchor = !in_class_ && (c == 'A' || c == 'z' || c == 'Z');
        const bool plain = c != '\0' && !std::isalnum(static_cast<unsigned char>(c));
        if (!same && !anchor && !plain) refuse(fmt::format("\\{} is not read here", c));
        copy(static_cast<unsigned char>(c) < 0x80 ? 2 : 1);
    }

    /// \p{L}, \p{^L}, \p{Han}: a longer name is a script, without PCRE2's script extensions.
    void property() {
        const size_t end = in_.find('}', at_);
        if (peek(2) != '{' || end == std::string_view::npos) refuse("\\p without {NAME}");
        std::string_view name = in_.substr(at_ + 3, end - at_ - 3);
        bool negated = peek(1) == 'P';
        if (name.substr(0, 1) == "^") {
            negated = !negated;
            name.remove_prefix(1);
        }
        for (const char c : name)
            if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_')
                refuse("\\p{NAME} takes letters");
        std::string written = name.size() <= 2 ? std::string(name) : fmt::format("sc:{}", name);
        for (const auto& [longer, shorter] : kLongNames)
            if (name == longer) written = shorter;
        out_ += fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', written);
        at_ = end + 1;
    }

    /// \xHH, \x{H...}, \uHHHH
    void code_point() {
        const bool braces = peek(1) == 'x' && peek(2) == '{';
        const size_t start = at_ + (braces ? 3 : 2), most = braces ? 6 : peek(1) == 'u' ? 4 : 2;
        size_t end = start;
        while (end < in_.size() && end - start < most &&
               std::isxdigit(static_cast<unsigned char>(in_[end])))
            ++end;
        const std::string_view digits = in_.substr(start, end - start);
        const bool whole =
            braces ? end < in_.size() && in_[end] == '}' && !digits.empty() : digits.size() == most;
        const bool raw_byte = !braces && peek(1) == 'x' && whole && digits[0] >= '8';
        if (!whole || raw_byte) refuse("a code that stands for no character");
        out_ += fmt::format("\\x{{{}}}", digits);
        at_ = end + (braces ? 1 : 0);
    }

    std::string_view in_;
    const std::string& source_;
    std::string out_;
    size_t at_ = 0;
    bool in_class_ = false;
};

}  // namespace

std::string rust_word_characters() {
    return fmt::format("{}{}", kWord, R"(\x{200c}\x{200d})");
}

std::string pcre_of_oniguruma(const std::string& expression, const std::string& source) {
    if (expression.empty() || expression.size() > kLongestExpression)
        throw UserError(fmt::format("{}: an expression has {} bytes", source, expression.size()),
                        fmt::format("expect 1 to {}", kLongestExpression));
    return Translator(expression, source).run();
}

}  // namespace headroom

#include "panels/study/table_markup.h"

#include <array>
#include <string_view>
#include <utility>

namespace headroom {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kLatex{{
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"\\", "\\textbackslash{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"\n", " "},
    {"±", "$\\pm$"},
    {"−", "$-$"},
    {"·", "$\\cdot$"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMarkdown{{
    {"|", "\\|"},
    {"\\", "\\\\"},
    {"\n", " "},
}};

template <class Escapes>
std::string escaped(std::string_view text, const Escapes& escapes) {
    std::string out;
    while (!text.empty()) {
        std::string_view with = text.substr(0, 1);
        size_t taken = 1;
        for (const auto& [what, instead] : escapes)
            if (text.starts_with(what)) {
                with = instead;
                taken = what.size();
            }
        out += with;
        text.remove_prefix(taken);
    }
    return out;
}

}  // namespace

std::string latex_text(const std::string& text) {
    return escaped(text, kLatex);
}

std::string markdown_text(const std::string& text) {
    return escaped(text, kMarkdown);
}

}  // namespace headroom

#include "panels/study/table_markup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/printable.h"

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

/// What pdflatex has no character for as it comes: Greek letters, signs, raised and lowered digits.
/// Letters of other scripts stay as they are, for XeLaTeX and LuaLaTeX.
constexpr std::array<std::pair<std::string_view, std::string_view>, 75> kLatexSigns{{
    {"α", "$\\alpha$"},      {"β", "$\\beta$"},
    {"γ", "$\\gamma$"},      {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"}, {"ζ", "$\\zeta$"},
    {"η", "$\\eta$"},        {"θ", "$\\theta$"},
    {"ι", "$\\iota$"},       {"κ", "$\\kappa$"},
    {"λ", "$\\lambda$"},     {"μ", "$\\mu$"},
    {"ν", "$\\nu$"},         {"ξ", "$\\xi$"},
    {"π", "$\\pi$"},         {"ρ", "$\\rho$"},
    {"σ", "$\\sigma$"},      {"τ", "$\\tau$"},
    {"υ", "$\\upsilon$"},    {"φ", "$\\varphi$"},
    {"χ", "$\\chi$"},        {"ψ", "$\\psi$"},
    {"ω", "$\\omega$"},      {"Γ", "$\\Gamma$"},
    {"Δ", "$\\Delta$"},      {"Θ", "$\\Theta$"},
    {"Λ", "$\\Lambda$"},     {"Ξ", "$\\Xi$"},
    {"Π", "$\\Pi$"},         {"Σ", "$\\Sigma$"},
    {"Φ", "$\\Phi$"},        {"Ψ", "$\\Psi$"},
    {"Ω", "$\\Omega$"},      {"≤", "$\\le$"},
    {"≥", "$\\ge$"},         {"≠", "$\\ne$"},
    {"≈", "$\\approx$"},     {"≡", "$\\equiv$"},
    {"∈", "$\\in$"},         {"×", "$\\times$"},
    {"÷", "$\\div$"},        {"→", "$\\to$"},
    {"←", "$\\leftarrow$"},  {"↔", "$\\leftrightarrow$"},
    {"↑", "$\\uparrow$"},    {"↓", "$\\downarrow$"},
    {"∞", "$\\infty$"},      {"√", "$\\surd$"},
    {"∂", "$\\partial$"},    {"∇", "$\\nabla$"},
    {"∑", "$\\sum$"},        {"∘", "$\\circ$"},
    {"⊕", "$\\oplus$"},      {"⊗", "$\\otimes$"},
    {"★", "$\\star$"},       {"⁰", "$^0$"},
    {"¹", "$^1$"},           {"²", "$^2$"},
    {"³", "$^3$"},           {"⁴", "$^4$"},
    {"⁵", "$^5$"},           {"⁶", "$^6$"},
    {"⁷", "$^7$"},           {"⁸", "$^8$"},
    {"⁹", "$^9$"},           {"₀", "$_0$"},
    {"₁", "$_1$"},           {"₂", "$_2$"},
    {"₃", "$_3$"},           {"₄", "$_4$"},
    {"₅", "$_5$"},           {"₆", "$_6$"},
    {"₇", "$_7$"},           {"₈", "$_8$"},
    {"₉", "$_9$"},
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

/// One line, whatever line breaks a name has: a comment ends with its line.
std::string latex_comment(std::string_view note) {
    std::string text = "% " + printable_lines(note);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text + "\n";
}

}  // namespace

std::string latex_text(const std::string& text) {
    return escaped(escaped(printable_lines(text), kLatex), kLatexSigns);
}

std::string markdown_text(const std::string& text) {
    const std::string line = printable_lines(text);
    const auto is_word = [&](size_t at) {  // past the end too
        return at < line.size() && std::isalnum(static_cast<unsigned char>(line[at])) != 0;
    };
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const char next = i + 1 < line.size() ? line[i + 1] : ' ';
        const bool always = std::string_view("\\`*<|").find(c) != std::string_view::npos;
        // An interval's bracket, and the line within d_model, are nothing but themselves.
        const bool link = c == ']' && (next == '(' || next == '[' || next == ':');
        const bool emphasis = c == '_' && !(i > 0 && is_word(i - 1) && is_word(i + 1));
        if (always || link || emphasis) out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string markdown_table(const PrintedTable& table) {
    std::string text = "|", rule = "|";
    for (const PrintedTable::Column& column : table.columns) {
        text += fmt::format(" {} |", markdown_text(column.head));
        rule += column.is_number ? " ---: |" : " --- |";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : table.rows) {
        text += "|";
        for (const PrintedCell& cell : row) {
            const std::string_view mark = cell.strong ? "**" : "";
            text += fmt::format(" {}{}{} |", mark, markdown_text(cell.text), mark);
        }
        text += "\n";
    }
    for (const std::string& note : table.notes) text += "\n" + markdown_text(note) + "\n";
    return text;
}

std::string latex_table(const PrintedTable& table) {
    std::string text, kinds, heads;
    for (const std::string& note : table.notes) text += latex_comment(note);
    for (const PrintedTable::Column& column : table.columns) {
        kinds += column.is_number ? 'r' : 'l';
        heads += (heads.empty() ? "" : " & ") + latex_text(column.head);
    }
    text += fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n", kinds, heads);
    for (const auto& row : table.rows) {
        for (size_t c = 0; c < row.size(); ++c) {
            const std::string cell = latex_text(row[c].text);
            text +=
                (c > 0 ? " & " : "") + (row[c].strong ? fmt::format("\\textbf{{{}}}", cell) : cell);
        }
        text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace headroom

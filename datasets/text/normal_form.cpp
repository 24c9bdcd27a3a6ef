#include "datasets/text/normal_form.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/base/utf8.h"

namespace headroom {
namespace {

using normal_form_table::ClassRange;
using normal_form_table::Decomposition;

// Hangul syllables are reckoned (The Unicode Standard, section 3.12).
constexpr char32_t kSyllable = 0xac00, kLead = 0x1100, kVowel = 0x1161, kTrail = 0x11a7;
constexpr char32_t kVowels = 21, kTrails = 28, kSyllables = 19 * kVowels * kTrails;

const Decomposition* find_decomposition(char32_t c) {
    const auto table = normal_form_table::decompositions();
    const auto found =
        std::lower_bound(table.begin(), table.end(), c,
                         [](const Decomposition& row, char32_t x) { return row.character < x; });
    return found == table.end() || found->character != c ? nullptr : &*found;
}

int combining_class(char32_t c) {
    if (c < 0x300) return 0;
    const auto table = normal_form_table::combining_classes();
    const auto found =
        std::lower_bound(table.begin(), table.end(), c,
                         [](const ClassRange& range, char32_t x) { return range.last < x; });
    return found == table.end() || c < found->first ? 0 : found->combining_class;
}

/// The character that stands for two, or 0.
char32_t composed(char32_t first, char32_t second) {
    if (first - kLead < 19 && second - kVowel < kVowels)
        return kSyllable + ((first - kLead) * kVowels + (second - kVowel)) * kTrails;
    if (first - kSyllable < kSyllables && (first - kSyllable) % kTrails == 0 &&
        second - kTrail < kTrails && second != kTrail)
        return first + (second - kTrail);
    static const std::unordered_map<uint64_t, char32_t> table = [] {
        std::unordered_map<uint64_t, char32_t> pairs;
        for (const Decomposition& row : normal_form_table::decompositions())
            if (row.composes && row.second != 0)
                pairs[uint64_t{row.first} << 32 | row.second] = row.character;
        return pairs;
    }();
    const auto found = table.find(uint64_t{first} << 32 | second);
    return found == table.end() ? 0 : found->second;
}

void take_apart(char32_t c, std::u32string& out) {
    if (c - kSyllable < kSyllables) {
        const char32_t index = c - kSyllable, trail = index % kTrails;
        out += static_cast<char32_t>(kLead + index / (kVowels * kTrails));
        out += static_cast<char32_t>(kVowel + index / kTrails % kVowels);
        if (trail != 0) out += static_cast<char32_t>(kTrail + trail);
        return;
    }
    const Decomposition* row = c < 0xc0 ? nullptr : find_decomposition(c);
    if (row == nullptr) {
        out += c;
        return;
    }
    take_apart(row->first, out);  // at most four deep
    if (row->second != 0) take_apart(row->second, out);
}

/// Marks behind a letter in the order of their classes.
void order_marks(std::u32string& text) {
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && combining_class(text[end]) != 0) ++end;
        std::stable_sort(
            text.begin() + static_cast<std::ptrdiff_t>(at),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
        at = end + 1;
    }
}

std::u32string decomposed(std::string_view text) {
    std::u32string apart;
    for (size_t at = 0; at < text.size();) take_apart(next_code_point(text, at), apart);
    order_marks(apart);
    return apart;
}

std::u32string put_together(const std::u32string& apart) {
    std::u32string out;
    size_t starter = std::u32string::npos;  // the letter that marks may join
    int last_class = 0;                     // of what stands between it and the next mark
    for (const char32_t c : apart) {
        const int own_class = combining_class(c);
        const bool adjacent = starter != std::u32string::npos && starter + 1 == out.size();
        const bool blocked = !adjacent && last_class >= own_class;
        if (starter != std::u32string::npos && !blocked) {
            if (const char32_t one = composed(out[starter], c); one != 0) {
                out[starter] = one;
                continue;
            }
        }
        if (own_class == 0) starter = out.size();
        last_class = own_class;
        out += c;
    }
    return out;
}

std::string to_utf8(const std::u32string& text) {
    std::string out;
    for (const char32_t c : text) append_utf8(out, c);
    return out;
}

/// Nothing below U+0300 has a mark behind which something could join, nor joins.
bool is_plain(std::string_view text, unsigned char first_that_may_change) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return static_cast<unsigned char>(c) < first_that_may_change;
    });
}

}  // namespace

std::string to_nfd(std::string_view text) {
    return is_plain(text, 0xc3) ? std::string(text) : to_utf8(decomposed(text));
}

std::string to_nfc(std::string_view text) {
    return is_plain(text, 0xcc) ? std::string(text) : to_utf8(put_together(decomposed(text)));
}

}  // namespace headroom

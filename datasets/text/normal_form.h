#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headroom {

/// Unicode's canonical normal forms (Unicode Standard Annex 15): NFD takes characters apart into
/// letters and marks, NFC puts them together again. The tables are those of Unicode 14; characters
/// that are younger stay as they are.
/// REQUIRES: well-formed UTF-8.
std::string to_nfc(std::string_view text);
std::string to_nfd(std::string_view text);

/// What normal_form_table.cpp holds; make_normal_form_table.py writes it.
namespace normal_form_table {

/// A character and the one or two (second is 0) that it stands for, ascending.
struct Decomposition {
    char32_t character, first, second = 0;
    bool composes = true;  ///< whether NFC makes it of the two
};
std::span<const Decomposition> decompositions();

/// Marks of one canonical combining class, ascending.
struct ClassRange {
    char32_t first, last;
    uint8_t combining_class;
};
std::span<const ClassRange> combining_classes();

}  // namespace normal_form_table
}  // namespace headroom

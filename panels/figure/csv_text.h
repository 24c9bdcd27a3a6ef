#pragma once

#include <string>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

// The parts that the CSV of all figures shares: RFC 4180, UTF-8, LF.

/// Reads back bit for bit; "" for NaN, a gap. Seven digits where the value is a float32.
std::string csv_number(double value);
/// Printable, and in quotation marks where it must be.
std::string csv_quoted(const std::string& given);
/// "# KEY: TEXT" on one line, whatever the text holds; nothing for an empty one.
void append_csv_comment(std::string& out, const std::string& key, const std::string& text);
/// Comment lines for every run whose numbers these are.
void append_csv_sources(std::string& out, const std::vector<FigureSource>& sources);

}  // namespace headroom

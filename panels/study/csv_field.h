#pragma once

#include <optional>
#include <string>

namespace headroom {

/// A text as one field of a CSV file (RFC 4180), in quotation marks where it must be; control
/// characters but line breaks and tabs are written out.
std::string csv_field(const std::string& text);

/// A number in full, so that it reads back bit for bit; "" where there is none.
std::string csv_field(const std::optional<double>& number);

}  // namespace headroom

#pragma once

#include <string>

namespace headroom {

/// A text as one field of a CSV file (RFC 4180), in quotation marks where it must be.
std::string csv_field(const std::string& text);

}  // namespace headroom

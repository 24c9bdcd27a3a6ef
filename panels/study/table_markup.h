#pragma once

#include <string>

namespace headroom {

/// A cell's text for LaTeX: characters that it would take for commands are escaped, and signs that
/// a font may lack (±, −, ·) are mathematics. A line break becomes a blank.
std::string latex_text(const std::string& text);

/// A cell's text for a Markdown table.
std::string markdown_text(const std::string& text);

}  // namespace headroom

#pragma once

#include <string>
#include <vector>

namespace headroom {

/// The text files that a path stands for: the file itself, or every .txt, .text and .md file below
/// a folder, sorted by path. Throws UserError naming `path` if there is none.
std::vector<std::string> list_text_files(const std::string& path);

/// The contents of one file. Throws UserError if it is missing, not a plain file, empty, too large
/// to hold in memory or binary (has a NUL byte).
std::string read_text_file(const std::string& path);

/// All files of `path` in their order, a newline added after a file that lacks one where another
/// follows.
std::string read_text(const std::string& path);

}  // namespace headroom

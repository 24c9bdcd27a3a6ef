#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headroom {

/// The text files that a path stands for: the file itself, or every .txt, .text and .md file below
/// a folder, sorted by path. Throws UserError naming `path` if there is none.
std::vector<std::string> list_text_files(const std::string& path);

/// One text of its own: a file.
struct Document {
    std::string path, text;
};

/// What a text must be: any bytes but NUL, or besides well-formed UTF-8.
enum class TextCheck { kBytes, kUtf8 };

/// Reads one file. Throws UserError if it is missing, not a plain file, empty, too large to hold in
/// memory, binary (has a NUL byte) or, with kUtf8, not UTF-8.
Document read_document(const std::string& path, TextCheck check);

/// All files that `path` stands for.
std::vector<Document> read_documents(const std::string& path, TextCheck check);

using Documents = std::vector<Document>;

/// Cuts off the last `fraction` of the bytes, at the start of a UTF-8 sequence; a document that
/// lies across the cut is divided. Returns {before, after}.
std::pair<Documents, Documents> split_documents(Documents documents, double fraction);

/// One text; a newline comes after a document that lacks one where another follows.
std::string join_documents(const Documents& documents);

}  // namespace headroom

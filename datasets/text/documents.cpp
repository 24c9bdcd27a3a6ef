#include "datasets/text/documents.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/utf8.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestText = uintmax_t{8} << 30;

bool is_text_name(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".txt" || extension == ".text" || extension == ".md";
}

[[noreturn]] void refuse_text(const std::string& path, const std::string& what,
                              const std::string& mend) {
    throw UserError(fmt::format("text {} {}", path, what), mend);
}

fs::file_status status_of(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        refuse_text(path, "does not exist", "check the path");
    if (error) refuse_text(path, "cannot be read: " + error.message(), "check its permissions");
    return status;
}

}  // namespace

std::vector<std::string> list_text_files(const std::string& path) {
    if (!fs::is_directory(status_of(path))) return {path};
    std::vector<std::string> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(path, error), end;
    while (!error && entry != end) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored) && is_text_name(entry->path()))
            files.push_back(entry->path().string());
        entry.increment(error);
    }
    if (error) refuse_text(path, "cannot be listed: " + error.message(), "check its permissions");
    if (files.empty())
        refuse_text(path, "is a folder without .txt, .text or .md files",
                    "put text files there or name one file");
    std::sort(files.begin(), files.end());
    return files;
}

Document read_document(const std::string& path, TextCheck check) {
    if (!fs::is_regular_file(status_of(path)))
        refuse_text(path, "is not a plain file", "name a text file");
    Document document{path, read_text(path, kLargestText)};
    const std::string& text = document.text;
    if (text.empty()) refuse_text(path, "is empty", "name a file with text in it");
    if (const size_t nul = text.find('\0'); nul != std::string::npos)
        refuse_text(path, fmt::format("is binary: byte {} is NUL", nul),
                    "name a plain text file; token files are written tokens:FILE");
    if (check == TextCheck::kBytes) return document;
    if (const size_t bad = find_invalid_utf8(text); bad != std::string::npos)
        refuse_text(path, fmt::format("is not UTF-8: see byte {}", bad),
                    "convert it to UTF-8 or use the byte tokenizer");
    return document;
}

Documents read_documents(const std::string& path, TextCheck check) {
    Documents documents;
    for (const std::string& file : list_text_files(path))
        documents.push_back(read_document(file, check));
    return documents;
}

std::pair<Documents, Documents> split_documents(Documents documents, double fraction) {
    size_t total = 0;
    for (const Document& document : documents) total += document.text.size();
    auto left = std::min(
        total, static_cast<size_t>(std::floor(static_cast<double>(total) * (1.0 - fraction))));
    std::pair<Documents, Documents> parts;
    for (Document& document : documents) {
        std::string& text = document.text;
        const size_t cut = cut_between_characters(text, left);
        left -= std::min(left, text.size());
        if (cut < text.size()) parts.second.push_back({document.path, text.substr(cut)});
        text.resize(cut);
        if (cut > 0) parts.first.push_back(std::move(document));
    }
    return parts;
}

std::string join_documents(const Documents& documents) {
    std::string text;
    for (const Document& document : documents) {
        if (!text.empty() && text.back() != '\n') text += '\n';
        text += document.text;
    }
    return text;
}

}  // namespace headroom

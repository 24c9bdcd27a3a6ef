#include "datasets/text/read_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestText = uintmax_t{8} << 30;

bool is_text_name(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".txt" || extension == ".text" || extension == ".md";
}

[[noreturn]] void refuse(const std::string& path, const std::string& what,
                         const std::string& mend) {
    throw UserError(fmt::format("text {} {}", path, what), mend);
}

}  // namespace

std::vector<std::string> list_text_files(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        refuse(path, "does not exist", "check the path in data.train and data.val");
    if (!fs::is_directory(status)) return {path};
    std::vector<std::string> files;
    fs::recursive_directory_iterator entry(path, error), end;
    while (!error && entry != end) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored) && is_text_name(entry->path()))
            files.push_back(entry->path().string());
        entry.increment(error);
    }
    if (error)
        refuse(path, fmt::format("cannot be listed: {}", error.message()), "check its permissions");
    if (files.empty())
        refuse(path, "is a folder without .txt, .text or .md files",
               "put text files there or name one file");
    std::sort(files.begin(), files.end());
    return files;
}

std::string read_text_file(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        refuse(path, "does not exist", "check the path in data.train and data.val");
    if (!fs::is_regular_file(status)) refuse(path, "is not a plain file", "name a text file");
    const uintmax_t size = fs::file_size(path, error);
    if (error) refuse(path, fmt::format("cannot be read: {}", error.message()), "check the file");
    if (size == 0) refuse(path, "is empty", "name a file with text in it");
    if (size > kLargestText)
        refuse(
            path,
            fmt::format("has {} bytes, more than the {} that are read at once", size, kLargestText),
            "cut it into several files and tokenise them with headroom data prepare");
    std::string text(size, '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file.read(text.data(), static_cast<std::streamsize>(size)))
        refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)),
               "check its permissions");
    if (const size_t nul = text.find('\0'); nul != std::string::npos)
        refuse(path, fmt::format("is binary: byte {} is NUL", nul),
               "name a plain text file; token files are written tokens:FILE");
    return text;
}

std::string read_text(const std::string& path) {
    std::string all;
    for (const std::string& file : list_text_files(path)) {
        if (!all.empty() && all.back() != '\n') all += '\n';
        all += read_text_file(file);
    }
    return all;
}

}  // namespace headroom

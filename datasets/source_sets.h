#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headroom {

/// A file that a data set is distributed in.
struct SourceFile {
    std::string url;     ///< https, or file
    std::string name;    ///< here: the last part of the address
    std::string sha256;  ///< 64 hexadecimal digits; "": none was recorded
    int64_t bytes = 0;   ///< 0: not recorded
    enum class Unpack { kNo, kTar, kZip } unpack = Unpack::kNo;
    std::string gives;  ///< folder that the archive holds
};

/// A data set that `headroom data fetch` knows.
struct SourceSet {
    std::string name, summary, page, licence;
    std::vector<SourceFile> files;
    std::vector<std::string> use;  ///< commands that go on from here; {folder} is where it lies

    int64_t bytes() const;  ///< of all files; 0 where one is not recorded
};

/// resources/data/sources.json, or a file like it. UserError for what is no such file: keys that
/// are not known, names that lead out of a folder, addresses of other kinds.
std::vector<SourceSet> load_source_sets(const std::filesystem::path& file);

}  // namespace headroom

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headroom {

/// One C++ or CUDA file of the project.
struct SourceFile {
    std::string path;  ///< from the repository's root: "core/base/error.h"
    std::string text;

    bool is_header() const { return path.ends_with(".h"); }
};

/// Every source file in the rooms app, core, cuda, datasets, panels and tests, sorted by path.
std::vector<SourceFile> read_source_tree(const std::filesystem::path& root);

}  // namespace headroom

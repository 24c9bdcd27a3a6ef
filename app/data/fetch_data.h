#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "datasets/source_sets.h"

namespace headroom {

/// Where the program's own list lies.
std::filesystem::path source_sets_file();

struct FetchHooks {
    std::function<void(const std::string&)> say = {};  ///< a line about what is being done
    std::function<bool()> stop = {};                   ///< whether to end; what came is kept
};

/// Loads the files of a data set into `folder` with curl, goes on with what an earlier try left
/// (NAME.part), compares sizes and SHA-256 with those recorded, and unpacks archives. Files that
/// are there, put by hand too, are checked and not loaded again; what is unpacked stays.
/// EnvironmentError where a file cannot be had, saying which is to be put where; UserError where
/// what is there or what came is not what was recorded.
void fetch_data(const SourceSet& set, const std::filesystem::path& folder, const FetchHooks& hooks);

}  // namespace headroom

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headroom {

/// A file of a run's probes by its name.
struct ProbeFileName {
    std::string kind;  ///< ProbeSchema::file_word
    int64_t step = -1;
    std::filesystem::path path;
};

/// What lies in RUN_DIR/probes/ as KIND-step-00000500.h5, by kind and step; other files are left
/// out. Opens none of them.
std::vector<ProbeFileName> list_probe_files(const std::filesystem::path& run_dir);

/// Makes RUN_DIR/probes where missing, and removes what killed probes left there. EnvironmentError
/// naming the folder; UserError if a link leads it elsewhere.
void make_probes_folder(const std::filesystem::path& run_dir);

/// The one of this kind and step, or the newest of the kind for step < 0.
std::optional<ProbeFileName> find_probe_file(const std::filesystem::path& run_dir,
                                             const std::string& kind, int64_t step);

}  // namespace headroom

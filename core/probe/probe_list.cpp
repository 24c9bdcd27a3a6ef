#include "core/probe/probe_list.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <tuple>

#include "core/base/file.h"
#include "core/config/probe_schema.h"
#include "core/study/run_folder.h"

namespace headroom {

namespace fs = std::filesystem;

namespace {

std::optional<ProbeFileName> parse_name(const fs::path& path) {
    constexpr std::string_view kMiddle = "-step-", kEnding = ".h5";
    const std::string name = path.filename().string();
    const size_t middle = name.rfind(kMiddle);
    if (middle == std::string::npos || middle == 0 || !name.ends_with(kEnding)) return std::nullopt;
    const char* first = name.data() + middle + kMiddle.size();
    const char* last = name.data() + name.size() - kEnding.size();
    ProbeFileName file{name.substr(0, middle), -1, path};
    const auto [end, error] = std::from_chars(first, last, file.step);
    if (error != std::errc() || end != last || first == last || file.step < 0) return std::nullopt;
    return file;
}

}  // namespace

std::vector<ProbeFileName> list_probe_files(const fs::path& run_dir) {
    std::vector<ProbeFileName> files;
    for (const fs::path& entry : entries_of(RunFolder{run_dir}.probes()))
        if (const auto file = parse_name(entry)) files.push_back(*file);
    std::sort(files.begin(), files.end(), [](const ProbeFileName& a, const ProbeFileName& b) {
        return std::tie(a.kind, a.step) < std::tie(b.kind, b.step);
    });
    return files;
}

void make_probes_folder(const fs::path& run_dir) {
    const RunFolder run{run_dir};
    require_own_folder(run.root);
    make_folder_inside(run.root, run.probes());
    // Other probes may be writing here, each its own file, which it holds.
    remove_stale_temporaries(run.probes(),
                             [](std::string_view name) { return parse_name(name).has_value(); });
}

std::optional<ProbeFileName> find_probe_file(const fs::path& run_dir, const std::string& kind,
                                             int64_t step) {
    std::optional<ProbeFileName> found;
    const ProbeSchema* schema = find_probe_schema(kind);
    const std::string& word = schema == nullptr ? kind : schema->file_word();
    for (const ProbeFileName& file : list_probe_files(run_dir))
        if (file.kind == word && (step < 0 || file.step == step)) found = file;
    return found;
}

}  // namespace headroom

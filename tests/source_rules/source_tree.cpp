#include "tests/source_rules/source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace headroom {

std::vector<SourceFile> read_source_tree(const std::filesystem::path& root) {
    namespace fs = std::filesystem;
    std::vector<SourceFile> files;
    for (const char* room : {"app", "core", "cuda", "datasets", "panels", "tests"}) {
        if (!fs::is_directory(root / room)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
            const std::string suffix = entry.path().extension();
            if (suffix != ".h" && suffix != ".cpp" && suffix != ".cu") continue;
            std::ifstream stream(entry.path(), std::ios::binary);
            files.push_back({entry.path().lexically_relative(root).string(),
                             {std::istreambuf_iterator<char>(stream), {}}});
        }
    }
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return files;
}

}  // namespace headroom

#include "app/scaling/scaling_work.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "app/scaling/scaling_folder.h"
#include "core/base/error.h"
#include "core/bench/timings.h"

namespace headroom {

namespace fs = std::filesystem;

ScalingFolder::ScalingFolder() {
    std::string name = (fs::temp_directory_path() / "headroom-scaling-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw EnvironmentError(fmt::format("cannot make {}: {}", name, ::strerror(errno)),
                               "set TMPDIR to a folder that you may write to");
    path_ = name;
}

ScalingFolder::~ScalingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

ScalingLine measure(const ScalingWork& work, size_t sizes, int rounds) {
    ScalingLine line{work.name, work.size_name, work.cost_name, work.setting, {}};
    for (size_t i = 0; i < std::min(sizes, work.sizes.size()); ++i) {
        const double size = work.sizes[i];
        const std::function<double()> round = work.prepare(size);
        round();
        std::vector<double> seconds;
        for (int n = 0; n < rounds; ++n) seconds.push_back(round());
        line.points.push_back({size, median(seconds), work.cost(size)});
    }
    return line;
}

}  // namespace headroom

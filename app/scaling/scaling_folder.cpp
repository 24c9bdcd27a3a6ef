#include "app/scaling/scaling_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"

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

}  // namespace headroom

#include "app/tool.h"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

#include "app/study/child_process.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/open_file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// What a tool says, gone with the object.
class OutputFile {
  public:
    OutputFile() : path_(fresh_temporary(fs::temp_directory_path() / "headroom-tool")) {}
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

}  // namespace

fs::path find_tool(const std::string& name, const std::string& package) {
    const char* folders = std::getenv("PATH");
    std::istringstream list(folders == nullptr ? "/usr/bin:/bin" : folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        fs::path path = fs::path(folder) / name;
        std::error_code none;
        if (path.is_absolute() && fs::is_regular_file(path, none) &&
            access(path.c_str(), X_OK) == 0)
            return path;
    }
    throw EnvironmentError("there is no program " + name, "apt-get install " + package);
}

ToolOutcome run_tool(const fs::path& tool, std::vector<std::string> arguments,
                     const std::function<void()>& watch) {
    const OutputFile output;
    arguments.insert(arguments.begin(), tool.string());
    ChildProcess child = ChildProcess::start(arguments, output.path());
    std::optional<int> status;
    try {
        while (!(status = child.poll())) {
            if (watch) watch();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    } catch (...) {
        child.terminate();
        child.wait();
        throw;
    }
    return {*status, last_line_of(output.path())};
}

}  // namespace headroom

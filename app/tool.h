#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace headroom {

/// A program of this machine that is looked for in the folders of PATH, never in the one that
/// happens to be the working folder. EnvironmentError naming `package` where it
/// is not there.
std::filesystem::path find_tool(const std::string& name, const std::string& package);

/// What a tool left.
struct ToolOutcome {
    int status = 0;
    std::string last_line;  ///< of what it said
};

/// Runs it with these arguments, no shell between, and calls `watch` many times a second until it
/// ends. What `watch` throws ends the tool, too.
ToolOutcome run_tool(const std::filesystem::path& tool, std::vector<std::string> arguments,
                     const std::function<void()>& watch = {});

}  // namespace headroom

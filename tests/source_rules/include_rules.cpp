#include "tests/source_rules/include_rules.h"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace headroom {
namespace {

/// Arrows point one way only: app -> panels -> core, app -> datasets -> core, cuda -> core.
const std::map<std::string, std::set<std::string>> kRooms = {
    {"app", {"app", "core", "datasets", "panels"}},
    {"core", {"core"}},
    {"cuda", {"cuda", "core"}},
    {"datasets", {"datasets", "core"}},
    {"panels", {"panels", "core"}},
    {"tests", {"tests", "app", "core", "cuda", "datasets", "panels"}},
};

/// A library whose headers only some files may include.
struct Confined {
    std::regex header;
    std::regex allowed_in;
    std::string where;
};

const std::vector<Confined>& confined_libraries() {
    static const std::vector<Confined> list = {
        {std::regex("hdf5\\.h|H5.*\\.h"), std::regex("core/log/.*|tests/.*"),
         "HDF5 only in core/log/"},
        {std::regex("cuda.*\\.h|cublas.*\\.h|cub/.*|nv.*\\.h"), std::regex("cuda/.*|tests/cuda/.*"),
         "CUDA only in cuda/"},
        {std::regex("CLI/.*"), std::regex("app/.*\\.cpp"), "CLI11 only in .cpp files of app/"},
        {std::regex("nlohmann/json\\.hpp"), std::regex(".*\\.cpp|tests/.*"),
         "json.hpp only in .cpp files (headers: json_fwd.hpp)"},
        {std::regex("Q[A-Z].*|Qt.*/.*|qcustomplot\\.h"),
         std::regex("app/(window|figure)/.*|app/studio_main\\.cpp|panels/.*|tests/.*"),
         "Qt only in the window, the figure mode and panels/"},
        {std::regex("imgui.*"), std::regex("panels/.*|tests/panels/.*"), "ImGui only in panels/"},
    };
    return list;
}

std::string room_of(const std::string& path) {
    return path.substr(0, path.find('/'));
}

void check_project_header(const SourceFile& file, const std::string& header,
                          std::vector<std::string>& violations) {
    const std::string room = room_of(header);
    if (!kRooms.contains(room) || header == room)
        violations.push_back(file.path + ": \"" + header + "\" is not named from the root");
    else if (!kRooms.at(room_of(file.path)).contains(room))
        violations.push_back(file.path + ": " + room_of(file.path) + " may not include " + header);
}

void check_library_header(const SourceFile& file, const std::string& header,
                          std::vector<std::string>& violations) {
    for (const Confined& library : confined_libraries())
        if (std::regex_match(header, library.header) &&
            !std::regex_match(file.path, library.allowed_in))
            violations.push_back(file.path + ": <" + header + ">, but " + library.where);
}

}  // namespace

std::vector<std::string> include_violations(const SourceFile& file) {
    static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
    std::vector<std::string> violations;
    std::istringstream lines(file.text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (!std::regex_match(line, match, include)) continue;
        const std::string header = match[2];
        if (match[1] == "\"" && !header.ends_with(".moc"))
            check_project_header(file, header, violations);
        else
            check_library_header(file, header, violations);
    }
    return violations;
}

}  // namespace headroom

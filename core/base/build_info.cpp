#include "core/base/build_info.h"

extern "C" __attribute__((weak)) const char* headroom_build_commit() {
    return "";
}

extern "C" __attribute__((weak)) const char* headroom_build_date() {
    return "";
}

namespace headroom {

std::string version_number() {
    return HEADROOM_VERSION;
}

std::string program_version() {
    const std::string commit = headroom_build_commit();
    return "headroom " + version_number() + (commit.empty() ? "" : " (" + commit + ")");
}

std::string build_text() {
    const std::string commit = headroom_build_commit(), date = headroom_build_date();
    return "headroom " + version_number() + "\ncommit    " + (commit.empty() ? "unknown" : commit) +
           "\ncompiler  " HEADROOM_COMPILER + "\noptions   " HEADROOM_BUILD_OPTIONS +
           (date.empty() ? "" : "\ndate      " + date);
}

}  // namespace headroom

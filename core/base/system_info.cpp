#include "core/base/system_info.h"

#include <array>
#include <ctime>
#include <fstream>

#include <unistd.h>

namespace headroom {

std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

std::string program_version() {
    return "headroom " HEADROOM_VERSION;
}

std::string iso_time_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    int64_t total_pages = 0, resident_pages = 0;
    if (!(statm >> total_pages >> resident_pages)) return 0;
    return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace headroom

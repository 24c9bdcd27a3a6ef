#include "core/base/system_info.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

#include <unistd.h>

namespace headroom {
namespace {

/// The first number of a file, 0 if there is none ("max", no such file).
int64_t number_in(const char* path) {
    std::ifstream file(path);
    int64_t number = 0;
    return file >> number ? number : 0;
}

/// MemAvailable of the machine.
int64_t machine_available() {
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
        int64_t kib = 0;
        if (word == "MemAvailable:" && file >> kib) return kib * 1024;
    }
    return 0;
}

}  // namespace

std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

double unix_time() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since_epoch).count();
}

std::string iso_time_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

std::string processor_name() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    int64_t total_pages = 0, resident_pages = 0;
    if (!(statm >> total_pages >> resident_pages)) return 0;
    return resident_pages * sysconf(_SC_PAGESIZE);
}

int64_t available_bytes() {
    const int64_t machine = machine_available();
    const int64_t limit = number_in("/sys/fs/cgroup/memory.max");
    if (limit == 0) return machine;
    const int64_t group = limit - number_in("/sys/fs/cgroup/memory.current");
    return std::max<int64_t>(1, std::min(machine, group));
}

}  // namespace headroom

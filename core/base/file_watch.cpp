#include "core/base/file_watch.h"

#include <chrono>
#include <system_error>

namespace headroom {

bool FileWatch::changed(const std::filesystem::path& path) {
    constexpr auto kYoung = std::chrono::seconds(2);
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    const bool there = !error;
    const bool same = known_ && settled_ && there == there_ && (!there || time == time_);
    known_ = true;
    there_ = there;
    time_ = time;
    settled_ = !there || std::filesystem::file_time_type::clock::now() - time > kYoung;
    return !same;
}

}  // namespace headroom

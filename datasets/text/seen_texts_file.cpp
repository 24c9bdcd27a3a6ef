#include "datasets/text/seen_texts_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"

namespace headroom {
namespace {

constexpr int64_t kKeyBytes = sizeof(TextKey);

}  // namespace

SeenTextsFile::SeenTextsFile(std::filesystem::path path)
    : path_(std::move(path)), file_(open_for_writing(path_, OpenForWriting::kInPlace)) {}

bool SeenTextsFile::read(int64_t count, SeenTexts& seen) const {
    std::vector<TextKey> keys(4096);
    for (int64_t first = 0; first < count;) {
        const auto part = std::min<int64_t>(count - first, static_cast<int64_t>(keys.size()));
        const int64_t bytes = part * kKeyBytes;
        if (::pread(file_.get(), keys.data(), static_cast<size_t>(bytes), first * kKeyBytes) !=
            bytes)
            return false;
        for (int64_t i = 0; i < part; ++i) seen.add(keys[static_cast<size_t>(i)]);
        first += part;
    }
    return true;
}

void SeenTextsFile::write(int64_t first, std::span<const TextKey> keys) const {
    std::span<const std::byte> rest = std::as_bytes(keys);
    off_t place = first * kKeyBytes;
    const auto fail = [&] {
        throw EnvironmentError(
            fmt::format("{} could not be written: {}", path_.string(), std::strerror(errno)),
            "make room on the disk and start the same command again");
    };
    while (!rest.empty()) {
        const ssize_t written = ::pwrite(file_.get(), rest.data(), rest.size(), place);
        if (written < 0) fail();
        rest = rest.subspan(static_cast<size_t>(written));
        place += written;
    }
    if (::fsync(file_.get()) != 0) fail();
}

}  // namespace headroom

#include "datasets/formats/token_stream.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/open_file.h"

namespace headroom {
namespace {

constexpr size_t kWaiting = size_t{4} << 20;

[[noreturn]] void fail(const std::filesystem::path& path, const char* doing, int error) {
    throw EnvironmentError(fmt::format("{} cannot be {}: {}", path.string(), doing,
                                       std::generic_category().message(error)),
                           "see that there is space and permission");
}

/// The file, which no other process writes to meanwhile. What one that has finished has renamed is
/// not the file any more.
FileDescriptor open_alone(const std::filesystem::path& path) {
    require_replaceable(path);
    const std::filesystem::path partial = TokenStream::partial(path);
    for (;;) {
        FileDescriptor file = open_for_writing(partial, OpenForWriting::kInPlace);
        // Where the file system has no locks, nobody is refused.
        if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            throw UserError(fmt::format("{} is being written by another process", partial.string()),
                            "wait for its end, or give another --out");
        struct stat opened {};
        struct stat there {};
        if (::fstat(file.get(), &opened) != 0) fail(path, "looked at", errno);
        const bool same = ::stat(partial.c_str(), &there) == 0 && opened.st_dev == there.st_dev &&
                          opened.st_ino == there.st_ino;
        if (same) return file;
    }
}

}  // namespace

std::filesystem::path TokenStream::partial(const std::filesystem::path& path) {
    return path.string() + ".partial";
}

TokenStream::TokenStream(std::filesystem::path path, TokenFormat format,
                         const TokenStreamState& state)
    : path_(std::move(path)), format_(format), state_(state), file_(open_alone(path_)) {
    if (state_.tokens == 0) state_.checksum = kHashSeed;
    const uint64_t kept = token_file_header(format_, 0).size() +
                          static_cast<uint64_t>(state_.tokens * width_of(format_));
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) fail(path_, "looked at", errno);
    if (state_.tokens > 0 && static_cast<uint64_t>(status.st_size) < kept)
        throw UserError(fmt::format("{} is shorter than its state says", partial(path_).string()),
                        "delete it and its .state.json to begin anew");
    if (::ftruncate(file_.get(), static_cast<off_t>(kept)) != 0) fail(path_, "cut", errno);
}

void TokenStream::append(std::span<const int32_t> ids) {
    append_ids(format_, ids, waiting_);
    if (waiting_.size() >= kWaiting) flush();
}

void TokenStream::write(std::span<const char> bytes, uint64_t offset) const {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail(path_, "written", errno);
        bytes = bytes.subspan(static_cast<size_t>(written));
        offset += static_cast<uint64_t>(written);
    }
}

void TokenStream::flush() {
    const auto width = static_cast<uint64_t>(width_of(format_));
    write(waiting_,
          token_file_header(format_, 0).size() + static_cast<uint64_t>(state_.tokens) * width);
    const auto* bytes = reinterpret_cast<const unsigned char*>(waiting_.data());
    state_.checksum = hash_bytes({bytes, waiting_.size()}, state_.checksum);
    state_.tokens += static_cast<int64_t>(waiting_.size() / width);
    waiting_.clear();
}

TokenStreamState TokenStream::sync() {
    flush();
    if (::fsync(file_.get()) != 0) fail(path_, "synced", errno);
    return state_;
}

void TokenStream::finish() {
    flush();
    const std::string header = token_file_header(format_, state_.tokens);
    write({header.data(), header.size()}, 0);
    if (::fsync(file_.get()) != 0) fail(path_, "synced", errno);
    std::error_code error;
    std::filesystem::rename(partial(path_), path_, error);
    if (error) fail(path_, "renamed", error.value());
    sync_folder(path_.parent_path());
}

}  // namespace headroom

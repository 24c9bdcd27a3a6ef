#include "core/base/mmap_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

/// What is mapped, for a signal handler: nothing here allocates or waits.
struct Mapping {
    std::atomic<const std::byte*> begin{nullptr};
    std::atomic<size_t> size{0};
    std::array<char, 256> line{};  ///< what is said of it
};
constexpr size_t kMostMappings = 256;
std::array<Mapping, kMostMappings> g_mappings;

void note_mapping(const std::byte* begin, size_t size, const std::string& path) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    for (Mapping& mapping : g_mappings) {
        if (mapping.begin.load() != nullptr) continue;
        const std::string line = fmt::format(
            "error: {} became shorter while it was read, or its disk failed; "
            "put it back and start again\n",
            printable(path, 120));
        mapping.line.fill('\0');
        line.copy(mapping.line.data(), mapping.line.size() - 1);
        mapping.size.store(size);
        mapping.begin.store(begin);
        return;
    }
}

void forget_mapping(const std::byte* begin) {
    for (Mapping& mapping : g_mappings)
        if (mapping.begin.load() == begin) mapping.begin.store(nullptr);
}

void tell_lost_page(int signal, siginfo_t* info, void*) {
    const auto* at = static_cast<const std::byte*>(info->si_addr);
    for (const Mapping& mapping : g_mappings) {
        const std::byte* begin = mapping.begin.load();
        if (begin == nullptr || at < begin || at >= begin + mapping.size.load()) continue;
        [[maybe_unused]] const ssize_t done =
            ::write(STDERR_FILENO, mapping.line.data(), std::strlen(mapping.line.data()));
        ::_exit(1);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void guard_mappings() {
    struct sigaction action {};
    action.sa_sigaction = tell_lost_page;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
}

MmapFile MmapFile::open(const std::filesystem::path& path) {
    const FileDescriptor fd = open_for_reading(path);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0)
        throw EnvironmentError(fmt::format("cannot read {}: {}", path.string(), strerror(errno)),
                               "check the disk and try again");
    MmapFile file;
    file.path_ = path;
    if (status.st_size == 0) return file;
    const auto size = static_cast<size_t>(status.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (data == MAP_FAILED)
        throw EnvironmentError(fmt::format("cannot map {}: {}", path.string(), strerror(errno)),
                               "free some memory and try again");
    file.data_ = static_cast<const std::byte*>(data);
    file.size_ = size;
    note_mapping(file.data_, size, path.string());
    return file;
}

MmapFile::~MmapFile() {
    if (data_ == nullptr) return;
    forget_mapping(data_);
    ::munmap(const_cast<std::byte*>(data_), size_);
}

MmapFile::MmapFile(MmapFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MmapFile& MmapFile::operator=(MmapFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace headroom

#include "cuda/gemm/algorithm_cache.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"

namespace headroom::cuda {
namespace {

constexpr int kFormat = 1;
constexpr uint64_t kMostBytes = uint64_t{16} << 20;

/// Held while a process measures and writes. Goes with the process that holds it. Nobody waits for
/// ever for one that hangs, nor where the file system has no locks: at worst two measure at once.
class FileLock {
  public:
    FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience)
        : file_(path.empty() ? -1 : ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (file_ && ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
               std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

  private:
    FileDescriptor file_;
};

std::filesystem::path lock_of(std::filesystem::path path) {
    if (!path.empty()) path += ".lock";
    return path;
}

}  // namespace

std::filesystem::path algorithm_cache_path(const char* xdg_cache_home, const char* home) {
    const char* kName = "headroom/cuda-products.json";
    // A relative path is none, says the XDG Base Directory Specification.
    if (xdg_cache_home != nullptr && xdg_cache_home[0] == '/')
        return std::filesystem::path(xdg_cache_home) / kName;
    if (home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache" / kName;
    return {};
}

AlgorithmCache::AlgorithmCache(std::filesystem::path path, std::string machine, Warn warn,
                               std::chrono::milliseconds patience)
    : path_(std::move(path)),
      machine_(std::move(machine)),
      warn_(std::move(warn)),
      patience_(patience) {
    if (path_.empty()) return;
    try {
        make_folder(path_.parent_path());
        if (!read()) give_up("is not a file of choices that this version knows");
    } catch (const std::exception& error) {
        give_up(error.what());
    }
}

std::string AlgorithmCache::choose(const std::string& product,
                                   const std::function<bool(const std::string&)>& valid,
                                   const std::function<std::string()>& measure) {
    if (const auto choice = kept(product, valid)) return *choice;
    if (path_.empty()) {
        give_up("neither XDG_CACHE_HOME nor HOME names a folder");
        return "";
    }
    const FileLock lock(lock_of(path_), patience_);
    try {
        if (!read()) give_up("has become something else");
        if (const auto choice = kept(product, valid)) return *choice;
    } catch (const std::exception& error) {
        give_up(error.what());
    }
    if (path_.empty()) return "";
    const std::string choice = measure();
    if (choice.empty()) return choice;
    choices_[machine_][product] = choice;
    try {
        write();
    } catch (const std::exception& error) {
        give_up(error.what());
        choices_[machine_].erase(product);
        return "";
    }
    return choice;
}

std::optional<std::string> AlgorithmCache::kept(
    const std::string& product, const std::function<bool(const std::string&)>& valid) const {
    const auto machine = choices_.find(machine_);
    if (machine == choices_.end()) return {};
    const auto found = machine->second.find(product);
    if (found == machine->second.end() || !valid(found->second)) return {};
    return found->second;
}

bool AlgorithmCache::read() {
    if (path_.empty() || !std::filesystem::exists(path_)) return true;
    const nlohmann::json document =
        parse_json(read_text(path_, kMostBytes), path_.filename().string());
    if (!document.is_object() || document.value("format", nlohmann::json()) != kFormat)
        return false;
    const auto choices = document.find("choices");
    if (choices == document.end() || !choices->is_object()) return false;
    decltype(choices_) found;
    for (const auto& [machine, products] : choices->items()) {
        if (!products.is_object()) return false;
        for (const auto& [product, choice] : products.items()) {
            if (!choice.is_string()) return false;
            found[machine][product] = choice.get<std::string>();
        }
    }
    for (auto& [machine, products] : found) choices_[machine].merge(products);
    return true;
}

void AlgorithmCache::write() const {
    const nlohmann::json document{{"format", kFormat}, {"choices", choices_}};
    write_file_atomically(path_, document.dump(1) + "\n");
}

void AlgorithmCache::give_up(const std::string& why) {
    if (!gave_up_)
        warn_(
            fmt::format("matrix products are not timed but run as the library proposes, since "
                        "the choice cannot be kept: {}{}{}",
                        path_.string(), path_.empty() ? "" : ": ", why));
    gave_up_ = true;
    path_.clear();
}

std::string to_hex(const void* data, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i)
        text += fmt::format("{:02x}", static_cast<const uint8_t*>(data)[i]);
    return text;
}

std::optional<std::string> from_hex(const std::string& text, size_t bytes) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    if (text.size() != 2 * bytes) return {};
    std::string data;
    for (size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]), low = digit(text[i + 1]);
        if (high < 0 || low < 0) return {};
        data += static_cast<char>(16 * high + low);
    }
    return data;
}

}  // namespace headroom::cuda

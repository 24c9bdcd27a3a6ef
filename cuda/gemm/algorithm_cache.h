#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace headroom::cuda {

/// $XDG_CACHE_HOME/headroom/cuda-products.json, or the same in ~/.cache; empty where the
/// environment names neither. Null: not set.
std::filesystem::path algorithm_cache_path(const char* xdg_cache_home, const char* home);

/// Which algorithm was the fastest for each product on this machine, kept in a file, so that a job
/// that is run again starts at once and gives the same bits. {"format": 1, "choices": {MACHINE:
/// {PRODUCT: CHOICE}}}; a choice is the library's own bytes in hexadecimal digits, or a word.
/// Where the choice cannot be kept (no folder, read-only, a file that is not ours, which is left
/// alone) nothing is measured, with a warning: the next run might measure otherwise and give other
/// bits. One thread at a time; any number of processes.
class AlgorithmCache {
  public:
    using Warn = std::function<void(const std::string&)>;

    /// `machine`: the device and the versions of driver and library. An empty path: the
    /// environment names no folder.
    /// `patience`: how long to wait for another process that measures.
    AlgorithmCache(std::filesystem::path path, std::string machine, Warn warn,
                   std::chrono::milliseconds patience = std::chrono::seconds(20));

    /// What is kept for `product` if `valid` says so of it, else what `measure` finds, which is
    /// kept unless it is empty; "" where it cannot be kept. While one process measures, others that
    /// want to wait: they would disturb each other, and shall all take the same.
    std::string choose(const std::string& product,
                       const std::function<bool(const std::string&)>& valid,
                       const std::function<std::string()>& measure);

  private:
    std::optional<std::string> kept(const std::string& product,
                                    const std::function<bool(const std::string&)>& valid) const;
    /// Takes over what the file has. False if it is not one of ours.
    bool read();
    void write() const;
    void give_up(const std::string& why);

    std::filesystem::path path_;
    std::string machine_;
    Warn warn_;
    std::chrono::milliseconds patience_;
    bool gave_up_ = false;
    std::map<std::string, std::map<std::string, std::string>> choices_;  ///< of all machines
};

/// Bytes as hexadecimal digits, and back; nullopt unless `text` is exactly `bytes` of them.
std::string to_hex(const void* data, size_t bytes);
std::optional<std::string> from_hex(const std::string& text, size_t bytes);

}  // namespace headroom::cuda

#include <memory>
#include <string>

#include "app/data/prepare_tokens.h"
#include "app/scaling/scaling_folder.h"
#include "app/scaling/scaling_work.h"
#include "core/base/clock.h"
#include "core/base/file.h"

namespace headroom {
namespace {

/// Lines of words that are nearly all different.
void write_text(const std::filesystem::path& path, int64_t bytes) {
    AtomicFile file(path);
    std::string line;
    for (int64_t written = 0, n = 0; written < bytes;
         written += static_cast<int64_t>(line.size())) {
        line.clear();
        for (int word = 0; word < 12; ++word) line += std::to_string(7919 * ++n % 1000003) + ' ';
        line.back() = '\n';
        file.write(line);
    }
    file.commit_unsynced();
}

}  // namespace

std::vector<ScalingWork> data_scaling() {
    constexpr double kMegabyte = 1e6;
    return {{"data",
             "data prepare",
             "bytes",
             "bytes",
             "byte tokenizer, one file",
             {kMegabyte, 4 * kMegabyte, 16 * kMegabyte, 64 * kMegabyte},
             [](double size) { return size; },
             [](double size) -> std::function<double()> {
                 const auto folder = std::make_shared<ScalingFolder>();
                 write_text(folder->path() / "text.txt", static_cast<int64_t>(size));
                 return [folder] {
                     PrepareOptions options;
                     options.text = folder->path() / "text.txt";
                     options.progress = false;
                     options.out = folder->path() / "tokens.bin";
                     const double start = now_s();
                     prepare_tokens(options);
                     return now_s() - start;
                 };
             }}};
}

}  // namespace headroom

#include "core/log/pyramid_cache.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

#include <sys/stat.h>

#include "core/base/file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Block = SeriesPyramid::Block;

/// The file is this, the blocks, and a checksum of both. All in the byte order of the machine: in
/// another one the magic number is wrong.
struct Header {
    uint64_t magic = 0x31'76'72'75'63'2d'72'68;  ///< "hr-curv1"
    uint64_t log_device = 0, log_inode = 0, log_bytes = 0;
    int64_t log_seconds = 0, log_nanoseconds = 0;  ///< when the log was written last
    char series[64] = {};
    double weight = 0;
    int64_t rows = 0, block_rows = 0, blocks = 0, first_bad_step = 0;
    Block last;
};
static_assert(sizeof(Block) == 72 && sizeof(Header) == 8 * 6 + 64 + 8 * 5 + sizeof(Block));

constexpr size_t kChecksumBytes = 8;
constexpr uint64_t kMostBytes =
    sizeof(Header) + SeriesPyramid::kMostBlocks * sizeof(Block) + kChecksumBytes;

/// Against accidents, not against people: what they can do is draw a wrong picture of their log.
uint64_t checksum(std::string_view bytes) {
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
    }
    return sum;
}

std::optional<Header> header_for(const fs::path& log, const std::string& series) {
    struct stat status {};
    Header header;
    if (series.size() >= sizeof header.series || ::stat(log.c_str(), &status) != 0)
        return std::nullopt;
    header.log_device = status.st_dev;
    header.log_inode = status.st_ino;
    header.log_bytes = static_cast<uint64_t>(status.st_size);
    header.log_seconds = status.st_mtim.tv_sec;
    header.log_nanoseconds = status.st_mtim.tv_nsec;
    series.copy(header.series, series.size());
    return header;
}

/// The same content, perhaps copied elsewhere; or the same file, which only grows.
bool is_of(const Header& kept, const Header& now) {
    const bool same_content = kept.log_bytes == now.log_bytes &&
                              kept.log_seconds == now.log_seconds &&
                              kept.log_nanoseconds == now.log_nanoseconds;
    const bool same_file = kept.log_device == now.log_device && kept.log_inode == now.log_inode;
    return (same_content || (same_file && kept.log_bytes <= now.log_bytes)) &&
           std::memcmp(kept.series, now.series, sizeof kept.series) == 0;
}

bool has_sound_counts(const Header& header) {
    const int64_t most = SeriesPyramid::kMostBlocks;
    return header.blocks >= 1 && header.blocks <= most && header.block_rows >= 1 &&
           header.block_rows <= (int64_t{1} << 40) / most &&
           header.rows > (header.blocks - 1) * header.block_rows &&
           header.rows <= header.blocks * header.block_rows;
}

bool ascends(const SeriesPyramid& pyramid) {
    const auto& blocks = pyramid.blocks;
    const auto later = [](const Block& a, const Block& b) { return a.step >= b.step; };
    return std::adjacent_find(blocks.begin(), blocks.end(), later) == blocks.end() &&
           blocks.back().step <= pyramid.last.step;
}

std::optional<SeriesPyramid> parse(std::string_view bytes, const Header& now, double weight) {
    Header header;
    if (bytes.size() < sizeof header + kChecksumBytes) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != now.magic || !is_of(header, now) || header.weight != weight ||
        !has_sound_counts(header))
        return std::nullopt;
    const size_t block_bytes = static_cast<size_t>(header.blocks) * sizeof(Block);
    const size_t content = sizeof header + block_bytes;
    uint64_t sum = 0;
    if (bytes.size() != content + kChecksumBytes) return std::nullopt;
    std::memcpy(&sum, bytes.data() + content, kChecksumBytes);
    if (sum != checksum(bytes.substr(0, content))) return std::nullopt;
    SeriesPyramid pyramid;
    pyramid.series = std::string(header.series, strnlen(header.series, sizeof header.series));
    pyramid.weight = header.weight;
    pyramid.rows = header.rows;
    pyramid.block_rows = header.block_rows;
    pyramid.first_bad_step = header.first_bad_step;
    pyramid.last = header.last;
    pyramid.blocks.resize(static_cast<size_t>(header.blocks));
    std::memcpy(pyramid.blocks.data(), bytes.data() + sizeof header, block_bytes);
    if (!ascends(pyramid)) return std::nullopt;
    return pyramid;
}

}  // namespace

fs::path pyramid_path(const fs::path& log, const std::string& series) {
    std::string name = series;
    std::replace(name.begin(), name.end(), '/', '-');
    return log.parent_path() / (name + ".curve");
}

std::optional<SeriesPyramid> load_pyramid(const fs::path& log, const std::string& series,
                                          double weight, const TrainSeries& train) {
    try {
        std::error_code ignored;
        const fs::path path = pyramid_path(log, series);
        const std::optional<Header> now = header_for(log, series);
        if (!now || !fs::is_regular_file(path, ignored)) return std::nullopt;
        auto pyramid = parse(read_text(path, kMostBytes), *now, weight);
        if (pyramid && agrees_with(*pyramid, train)) return pyramid;
    } catch (const std::exception&) {
        // Whatever is wrong with it: the log says it all again.
    }
    return std::nullopt;
}

bool save_pyramid(const fs::path& log, const SeriesPyramid& pyramid) noexcept {
    try {
        std::optional<Header> header = header_for(log, pyramid.series);
        if (!header || pyramid.blocks.empty()) return false;
        header->weight = pyramid.weight;
        header->rows = pyramid.rows;
        header->block_rows = pyramid.block_rows;
        header->blocks = static_cast<int64_t>(pyramid.blocks.size());
        header->first_bad_step = pyramid.first_bad_step;
        header->last = pyramid.last;
        std::string bytes(sizeof(Header) + pyramid.blocks.size() * sizeof(Block), '\0');
        std::memcpy(bytes.data(), &*header, sizeof(Header));
        std::memcpy(bytes.data() + sizeof(Header), pyramid.blocks.data(),
                    pyramid.blocks.size() * sizeof(Block));
        const uint64_t sum = checksum(bytes);
        bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
        AtomicFile file(pyramid_path(log, pyramid.series), bytes.size());
        file.write(bytes);
        file.commit_unsynced();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace headroom

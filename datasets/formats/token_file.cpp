#include "datasets/formats/token_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/mmap_file.h"
#include "datasets/formats/token_manifest.h"

namespace headroom {
namespace {

constexpr size_t kHeaderBytes = 256 * 4;

struct Llmc {
    TokenFormat format;
    uint32_t magic, version;
    int width;
};
constexpr std::array<Llmc, 2> kLlmc{{
    {TokenFormat::kLlmc16, 20240520, 1, 2},
    {TokenFormat::kLlmc32, 20240801, 7, 4},
}};

uint32_t word_at(std::span<const std::byte> bytes, size_t index) {
    uint32_t word = 0;
    for (size_t b = 0; b < 4; ++b)
        word |= std::to_integer<uint32_t>(bytes[index * 4 + b]) << (8 * b);
    return word;
}

[[noreturn]] void refuse_token_file(const std::string& path, const std::string& what,
                                    const std::string& mend) {
    throw UserError(fmt::format("token file {} {}", path, what), mend);
}

/// The llm.c format whose magic number the file starts with, or nullptr.
const Llmc* llmc_format(std::span<const std::byte> bytes) {
    for (const Llmc& row : kLlmc)
        if (bytes.size() >= 4 && word_at(bytes, 0) == row.magic) return &row;
    return nullptr;
}

/// Number of tokens of an llm.c file, checked against its size.
int64_t llmc_count(std::span<const std::byte> bytes, const Llmc& llmc, const std::string& path) {
    if (bytes.size() < kHeaderBytes)
        refuse_token_file(
            path,
            fmt::format("is cut off in its header: {} bytes of {}", bytes.size(), kHeaderBytes),
            "make it again");
    if (word_at(bytes, 1) != llmc.version)
        refuse_token_file(
            path, fmt::format("is an llm.c file of version {}", word_at(bytes, 1)),
            fmt::format("only version {} of magic {} is known", llmc.version, llmc.magic));
    const auto count = static_cast<int32_t>(word_at(bytes, 2));
    const uint64_t present = (bytes.size() - kHeaderBytes) / static_cast<uint64_t>(llmc.width);
    if (count < 0 || static_cast<uint64_t>(count) > present)
        refuse_token_file(path, fmt::format("announces {} tokens but holds {}", count, present),
                          "it is cut off; make it again");
    return count;
}

/// Whether every other one of its first ids is 0 (or 1 or 2, of a vocabulary of above 65,536), and
/// those between are more than letters may be: upper halves of wider numbers.
bool looks_32_bit(const TokenArray& ids) {
    constexpr int64_t kLookedAt = 1 << 16;
    constexpr size_t kMoreThanLetters = 256;
    if (ids.size() % 2 != 0) return false;
    std::vector<int32_t> first(static_cast<size_t>(std::min(ids.size(), kLookedAt)));
    ids.read(0, first);
    std::set<int32_t> lower;
    for (size_t i = 0; i < first.size(); ++i) {
        if (i % 2 == 1 && first[i] > 2) return false;
        if (i % 2 == 0) lower.insert(first[i]);
    }
    return lower.size() > kMoreThanLetters;
}

}  // namespace

std::string name_of(TokenFormat format) {
    if (format == TokenFormat::kNanoGpt) return "nanoGPT uint16";
    return format == TokenFormat::kLlmc16 ? "llm.c uint16" : "llm.c uint32";
}

TokenFile open_token_file(const std::string& path) {
    const auto file = std::make_shared<const MmapFile>(MmapFile::open(path));
    const std::span<const std::byte> bytes = file->bytes();
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    if (bytes.empty()) refuse_token_file(path, "is empty", "make it with headroom data prepare");
    if (const Llmc* llmc = llmc_format(bytes)) {
        const int64_t count = llmc_count(bytes, *llmc, path);
        return {TokenArray::view(file, data + kHeaderBytes, llmc->width, count), llmc->format};
    }
    if (bytes.size() % 2 != 0)
        refuse_token_file(path, fmt::format("has {} bytes, an odd number", bytes.size()),
                          "a nanoGPT file holds 16-bit ids; give text as text:FILE");
    TokenArray ids = TokenArray::view(file, data, 2, static_cast<int64_t>(bytes.size() / 2));
    if (!std::filesystem::exists(manifest_beside(path)) && looks_32_bit(ids))
        refuse_token_file(
            path, "looks like 32-bit ids, of which every other half is 0",
            "a nanoGPT file holds 16-bit ids; give it as HDF5 (hdf5:FILE), or as an llm.c file");
    return {std::move(ids), TokenFormat::kNanoGpt};
}

int width_of(TokenFormat format) {
    return format == TokenFormat::kLlmc32 ? 4 : 2;
}

std::string token_file_header(TokenFormat format, int64_t count) {
    std::string header;
    for (const Llmc& row : kLlmc) {
        if (row.format != format) continue;
        if (count > std::numeric_limits<int32_t>::max())
            throw UserError(fmt::format("{} tokens are too many for an llm.c file", count),
                            "use --format nanogpt or divide the text");
        for (const uint32_t word : {row.magic, row.version, static_cast<uint32_t>(count)})
            for (int b = 0; b < 4; ++b) header += static_cast<char>(word >> (8 * b));
        header.resize(kHeaderBytes, '\0');
    }
    return header;
}

void append_ids(TokenFormat format, std::span<const int32_t> ids, std::vector<char>& bytes) {
    const int width = width_of(format);
    const int32_t most = width == 2 ? 65535 : std::numeric_limits<int32_t>::max();
    for (const int32_t id : ids) {
        if (id < 0 || id > most)
            throw UserError(fmt::format("token {} does not fit into {}", id, name_of(format)),
                            "use --format llmc, which has 32-bit ids too");
        for (int b = 0; b < width; ++b)
            bytes.push_back(static_cast<char>(static_cast<uint32_t>(id) >> (8 * b)));
    }
}

}  // namespace headroom

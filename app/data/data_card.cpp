#include "app/data/data_card.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/printable.h"
#include "core/data/data_spec.h"
#include "datasets/formats/stored_tokens.h"
#include "datasets/formats/token_file.h"

namespace headroom {
namespace {

constexpr int64_t kMostCounted = int64_t{1} << 28;
constexpr size_t kFrequent = 10;

void count_tokens(const TokenArray& tokens, DataCard& card) {
    card.tokens = tokens.size();
    card.counted = std::min(card.tokens, kMostCounted);
    std::vector<int64_t> counts(65536);
    std::unordered_map<int32_t, int64_t> larger;  // few files have ids beyond 16 bits
    std::vector<int32_t> chunk;
    for (int64_t at = 0; at < card.counted; at += static_cast<int64_t>(chunk.size())) {
        chunk.resize(static_cast<size_t>(std::min<int64_t>(1 << 16, card.counted - at)));
        tokens.read(at, chunk);
        for (const int32_t id : chunk)
            ++(id >= 0 && id < 65536 ? counts[static_cast<size_t>(id)] : larger[id]);
    }
    std::vector<DataCard::Frequent> all;
    for (size_t id = 0; id < counts.size(); ++id)
        if (counts[id] > 0) all.push_back({static_cast<int32_t>(id), counts[id]});
    for (const auto& [id, count] : larger) all.push_back({id, count});
    card.distinct = static_cast<int64_t>(all.size());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.count != b.count ? a.count > b.count : a.id < b.id;
    });
    all.resize(std::min(all.size(), kFrequent));
    card.most_frequent = std::move(all);
}

/// As a TokenStream has it of what it writes.
uint64_t checksum_of(const TokenFile& file) {
    uint64_t checksum = kHashSeed;
    std::vector<int32_t> chunk;
    std::vector<char> bytes;
    for (int64_t at = 0; at < file.tokens.size(); at += static_cast<int64_t>(chunk.size())) {
        chunk.resize(static_cast<size_t>(std::min<int64_t>(1 << 16, file.tokens.size() - at)));
        file.tokens.read(at, chunk);
        bytes.clear();
        append_ids(file.format, chunk, bytes);
        checksum = hash_bytes({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()},
                              checksum);
    }
    return checksum;
}

void compare_checksums(const std::string& file, uint64_t found, const TokenOrigin& origin) {
    const std::string text = checksum_text(found);
    if (origin.checksum.empty() || origin.checksum == text) return;
    throw UserError(fmt::format("{} has changed since it was prepared: its ids have the checksum "
                                "{}, and its manifest says {}",
                                file, text, printable(origin.checksum, 40)),
                    fmt::format("prepare it again, or delete {}.manifest.json", file));
}

}  // namespace

std::optional<DataCard> read_data_card(const std::string& spec) {
    const DataSpec data = parse_data_spec(spec, "SPEC");
    if (!info_of(data.kind).holds_ids) return {};
    DataCard card;
    const TokenArray ids = open_stored_tokens(data);
    count_tokens(ids, card);
    card.origin = origin_of(data, card.tokens);
    if (card.origin && card.counted == card.tokens)
        compare_checksums(data.name, checksum_of(open_token_file(data.name)), *card.origin);
    return card;
}

}  // namespace headroom

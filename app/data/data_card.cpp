#include "app/data/data_card.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "datasets/data_spec.h"
#include "datasets/formats/token_file.h"

namespace headroom {
namespace {

using nlohmann::json;

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

void open_reader(const json& tokenizer, DataCard& card) {
    try {
        card.reader = tokenizer_from_json(tokenizer);
    } catch (const UserError& error) {
        card.reader_problem = error.what();
    }
}

void read_manifest(const std::string& path, DataCard& card) {
    const json manifest = load_json(path);
    const auto refuse = [&](const std::string& what) {
        throw UserError(fmt::format("{} {}", path, what), "prepare the file again or delete it");
    };
    if (!manifest.is_object()) refuse("is no manifest");
    const auto number = [&](const char* key) {
        const json value = manifest.value(key, json());
        if (!value.is_number_unsigned()) refuse(fmt::format("has no {}", key));
        return static_cast<int64_t>(value.get<uint64_t>());
    };
    if (number("tokens") != card.tokens)
        refuse(fmt::format("is of another file: it has {} tokens", card.tokens));
    card.documents = number("documents");
    card.text_bytes = number("text_bytes");
    if (manifest.contains("duplicates")) card.duplicates = number("duplicates");
    const auto text = [](const json& object, const char* key) {
        const json value = object.is_object() ? object.value(key, json()) : json();
        return value.is_string() ? value.get<std::string>() : "";
    };
    card.checksum = text(manifest, "checksum");
    card.tokenizer = text(manifest.value("tokenizer", json()), "spec");
    if (card.tokenizer.empty()) card.tokenizer = text(manifest.value("tokenizer", json()), "kind");
    if (manifest.contains("tokenizer")) open_reader(manifest["tokenizer"], card);
    for (const json& source : manifest.value("sources", json::array()))
        card.sources.push_back(text(source, "path"));
}

}  // namespace

std::optional<DataCard> read_data_card(const std::string& spec) {
    const DataSpec data = parse_data_spec(spec, "SPEC");
    if (data.kind != DataSpec::Kind::kTokens) return {};
    DataCard card;
    count_tokens(open_token_file(data.name).tokens, card);
    const std::string manifest = data.name + ".manifest.json";
    std::error_code ignored;
    if (std::filesystem::exists(manifest, ignored)) read_manifest(manifest, card);
    return card;
}

}  // namespace headroom

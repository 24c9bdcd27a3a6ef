#include "core/probe/similarity_probe.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/probe/head_similarity.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/token_similarity.h"

namespace headroom {
namespace {

constexpr char kStream[] = "stream", kInput[] = "input", kValue[] = "value", kKey[] = "key",
               kWeights[] = "weights";
constexpr std::pair<const char*, HeadPart> kHeadParts[] = {{"output", HeadPart::kOutput},
                                                           {kValue, HeadPart::kValue},
                                                           {kKey, HeadPart::kKey},
                                                           {"query", HeadPart::kQuery}};

/// One tensor of a layer, sequence b: [T, width].
using Read = std::function<TokenMatrix(int layer, int64_t b)>;

/// Name of what attention reads; "" where that is the residual stream itself.
std::string input_name(const ModelConfig& model, int layer) {
    if (model.norm.at(layer) != NormKind::kNone) return fmt::format("h.{}.ln_1.out", layer);
    if (model.hyper != HyperKind::kNone) return fmt::format("h.{}.hc_attn.in", layer);
    return "";
}

TokenMatrix attention_input(const ProbePass& pass, int layer, int64_t b) {
    const std::string name = input_name(pass.model(), layer);
    return name.empty() ? pass.stream(layer - 1, b) : pass.read(name, b);
}

/// The heads' parts side by side. Heads of a group share theirs, which stands there once.
TokenMatrix joined_heads(const ProbePass& pass, int layer, HeadPart part, int64_t b) {
    const int64_t n_head = pass.model().n_head, groups = pass.attention(layer).n_kv_head;
    std::vector<TokenMatrix> heads;
    for (int64_t h = 0; h < n_head; h += n_head / groups)
        heads.push_back(pass.head(layer, static_cast<int>(h), part, b));
    const int64_t width = heads[0].columns;
    TokenMatrix joined{heads[0].rows, width * std::ssize(heads), {}};
    joined.values.reserve(static_cast<size_t>(joined.rows * joined.columns));
    for (int64_t i = 0; i < joined.rows; ++i)
        for (const TokenMatrix& head : heads)
            joined.values.insert(joined.values.end(), head.row(i).begin(), head.row(i).end());
    return joined;
}

/// All sequences below each other.
TokenMatrix stacked(const ProbePass& pass, const Read& read, int layer) {
    TokenMatrix all = read(layer, 0);
    for (int64_t b = 1; b < pass.shape().batch_size; ++b) {
        const TokenMatrix more = read(layer, b);
        all.values.insert(all.values.end(), more.values.begin(), more.values.end());
        all.rows += more.rows;
    }
    return all;
}

TokenMatrix rows_of(const TokenMatrix& all, int64_t first, int64_t count) {
    const auto begin = all.values.begin() + first * all.columns;
    return {count, all.columns, std::vector<double>(begin, begin + count * all.columns)};
}

/// Adds one layer of one tensor, all its sequences in `all`, to what is measured between tokens.
void add_tokens(SimilarityNumbers& numbers, const std::string& tensor, const TokenMatrix& all,
                const ProbeShape& shape) {
    const int64_t length = shape.seq_len, shown = std::min(length, kSimilarityTokens);
    NumberArray& maps = numbers.tokens[tensor];
    NumberArray& means = numbers.token_means[tensor];
    NumberArray& ranks = numbers.effective_rank[tensor];
    const NumberArray map = cosines(rows_of(all, 0, shown));
    maps.values.insert(maps.values.end(), map.values.begin(), map.values.end());
    double mean = 0;
    for (int64_t b = 0; b < shape.batch_size; ++b)
        mean +=
            mean_cosine(rows_of(all, b * length, length)) / static_cast<double>(shape.batch_size);
    means.values.push_back(mean);
    ranks.values.push_back(effective_rank(all));
    means.shape = ranks.shape = {std::ssize(means.values)};
    maps.shape = {std::ssize(means.values), shown, shown};
}

void add_heads(SimilarityNumbers& numbers, const std::string& tensor, const NumberArray& layer) {
    NumberArray& all = numbers.heads[tensor];
    const int64_t n_layer = all.empty() ? 0 : all.shape[0];
    all.shape = {n_layer + 1, layer.shape[0], layer.shape[1]};
    all.values.insert(all.values.end(), layer.values.begin(), layer.values.end());
}

std::vector<TokenMatrix> all_streams(const ProbePass& pass) {
    const Read read = [&](int layer, int64_t b) { return pass.stream(layer, b); };
    std::vector<TokenMatrix> streams;
    for (int layer = -1; layer < pass.model().n_layer; ++layer)
        streams.push_back(stacked(pass, read, layer));
    return streams;
}

}  // namespace

std::vector<std::string> head_similarity_tensors() {
    std::vector<std::string> names;
    for (const auto& [name, part] : kHeadParts) names.emplace_back(name);
    names.emplace_back(kWeights);
    return names;
}

std::vector<std::string> token_similarity_tensors() {
    return {kStream, kInput, kValue, kKey};
}

ProbeTaps similarity_taps(const ModelConfig& model) {
    ProbeTaps taps = ProbeTaps::all_attention(model);
    taps.streams = true;
    for (int layer = 0; layer < model.n_layer; ++layer)
        if (const std::string name = input_name(model, layer); !name.empty())
            taps.names.insert(name);
    return taps;
}

SimilarityNumbers measure_similarity(const ProbePass& pass) {
    SimilarityNumbers numbers;
    const std::pair<const char*, Read> tensors[] = {
        {kInput, [&](int layer, int64_t b) { return attention_input(pass, layer, b); }},
        {kValue, [&](int l, int64_t b) { return joined_heads(pass, l, HeadPart::kValue, b); }},
        {kKey, [&](int l, int64_t b) { return joined_heads(pass, l, HeadPart::kKey, b); }}};
    for (int layer = 0; layer < pass.model().n_layer; ++layer) {
        for (const auto& [name, part] : kHeadParts)
            add_heads(numbers, name, head_cosines(pass, layer, part));
        add_heads(numbers, kWeights, head_weight_cosines(pass, layer));
        for (const auto& [name, read] : tensors)
            add_tokens(numbers, name, stacked(pass, read, layer), pass.shape());
    }
    std::vector<TokenMatrix> streams = all_streams(pass);
    for (const TokenMatrix& stream : streams) add_tokens(numbers, kStream, stream, pass.shape());
    numbers.cka = linear_cka(std::move(streams));
    return numbers;
}

NumberArray cka_between(const ProbePass& pass, const ProbePass& other) {
    return linear_cka(all_streams(pass), all_streams(other));
}

void write_similarity(ArrayFileWriter& file, const SimilarityNumbers& numbers) {
    write_arrays(file, kHeadSimilarity, numbers.heads);
    write_arrays(file, kTokenSimilarity, numbers.tokens);
    for (const auto& [name, means] : numbers.token_means)
        file.add(token_mean_path(name), means.shape, means.values);
    write_arrays(file, kEffectiveRank, numbers.effective_rank);
    file.add(kStreamCka, numbers.cka.shape, numbers.cka.values);
    if (!numbers.cka_other.empty())
        file.add(kStreamCkaOther, numbers.cka_other.shape, numbers.cka_other.values);
    file.plot_hint({"/similarity", "cka"});
    file.plot_hint({kHeadSimilarity, "output"});
    file.plot_hint({kTokenSimilarity, "stream"});
    file.plot_hint({kEffectiveRank, "stream"});
}

}  // namespace headroom

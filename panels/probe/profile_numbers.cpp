#include "panels/probe/profile_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/probe/heads_probe.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_file.h"
#include "core/probe/similarity_probe.h"

namespace headroom {
namespace {

constexpr int64_t kMostValues = int64_t{1} << 22;

/// An array as rows of the numbers that belong to one layer.
struct LayerRows {
    int64_t layers = 0, width = 1;
    std::vector<double> values;

    std::span<const double> row(int64_t layer) const {
        return std::span(values).subspan(static_cast<size_t>(layer * width),
                                         static_cast<size_t>(width));
    }
};

LayerRows read_rows(const ArrayFile& file, const std::string& path, size_t dimensions) {
    if (!file.has(path))
        throw UserError(fmt::format("{} has no {}", file.path().string(), path),
                        "its model has no such numbers, or it is from another version");
    const Shape shape = file.type(path).shape;
    if (shape.size() != dimensions || count_of(shape) == 0)
        throw UserError(fmt::format("{}: {} has an unexpected shape", file.path().string(), path),
                        "make the file again with headroom probe");
    LayerRows rows{shape[0], 1, file.read_all<double>(path, kMostValues)};
    for (size_t d = 1; d < shape.size(); ++d) rows.width *= shape[d];
    return rows;
}

/// NaN counts as not there.
double summary_of(std::span<const double> heads, HeadSummary summary) {
    double sum = 0, least = std::nan(""), most = std::nan("");
    int count = 0;
    for (const double value : heads) {
        if (std::isnan(value)) continue;
        sum += value;
        ++count;
        least = std::fmin(least, value);
        most = std::fmax(most, value);
    }
    if (summary == HeadSummary::kMin) return least;
    if (summary == HeadSummary::kMax) return most;
    return count == 0 ? std::nan("") : sum / count;
}

ProfileNumbers per_head(const ArrayFile& file, const std::string& name, HeadSummary summary) {
    const LayerRows rows = read_rows(file, head_measure_path(name), 2);
    ProfileNumbers numbers;
    for (int64_t layer = 0; layer < rows.layers; ++layer)
        numbers.values.push_back(summary_of(rows.row(layer), summary));
    return numbers;
}

/// Mean cosine between different heads.
ProfileNumbers between_heads(const ArrayFile& file, const std::string& tensor) {
    const std::string path = probe_path(kHeadSimilarity, tensor);
    const LayerRows rows = read_rows(file, path, 3);
    const Shape shape = file.type(path).shape;
    const int64_t n = shape[1];
    if (shape[2] != n)
        throw UserError(fmt::format("{}: the similarities of heads ({}) are no square map",
                                    file.path().string(), tensor),
                        "probe the run anew with headroom probe similarity");
    ProfileNumbers numbers;
    for (int64_t layer = 0; layer < rows.layers; ++layer) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j)
                if (i != j) sum += rows.row(layer)[static_cast<size_t>(i * n + j)];
        numbers.values.push_back(sum / static_cast<double>(n * (n - 1)));
    }
    return numbers;
}

/// CKA of every stream with the last.
ProfileNumbers with_the_last(const ArrayFile& file) {
    const LayerRows rows = read_rows(file, kStreamCka, 2);
    const std::span<const double> last = rows.row(rows.layers - 1);
    return {ProfileAxis::kStreams, {last.begin(), last.end()}};
}

/// One number out of the group of a layer's weight tensor.
double weight_number(const ArrayFile& file, const std::string& group, std::string_view name) {
    if (name == "weight_norm") return file.read_number(group + kWeightNorm);
    if (name == "gradient_norm") return file.read_number(group + kGradientNorm);
    if (!file.has(group + kSingularValues)) return std::nan("");
    const auto values = file.read_all<double>(group + kSingularValues, kMostValues);
    if (values.empty()) return std::nan("");
    if (name == "spectral_norm") return values.front();
    double square = 0;
    for (const double value : values) square += value * value;
    return square / (values.front() * values.front());  // stable rank
}

ProfileNumbers of_weights(const ArrayFile& file, std::string_view name, const std::string& tensor) {
    const int64_t n_layer = read_probe_header(file).model.n_layer;
    ProfileNumbers numbers;
    bool any = false;
    for (int64_t layer = 0; layer < n_layer; ++layer) {
        const std::string group = weight_group(fmt::format("h.{}.{}.weight", layer, tensor));
        const bool there = file.has(group + kWeightNorm);
        any = any || there;
        numbers.values.push_back(there ? weight_number(file, group, name) : std::nan(""));
    }
    if (!any)
        throw UserError(fmt::format("no layer in {} has a tensor {}", file.path().string(), tensor),
                        "see headroom describe for the tensors of the model");
    return numbers;
}

ProfileNumbers streams(const ArrayFile& file, const std::string& path) {
    return {ProfileAxis::kStreams, read_rows(file, path, 1).values};
}

ProfileAxis axis_of(const std::string& tensor) {
    return tensor == "stream" ? ProfileAxis::kStreams : ProfileAxis::kLayers;
}

}  // namespace

std::span<const ProfileQuantity> profile_quantities() {
    static const std::vector<std::string> tokens = token_similarity_tensors();
    static const std::vector<std::string> heads = head_similarity_tensors();
    static const std::vector<std::string> matrices{"attn.o", "attn.q",   "attn.k",  "attn.v",
                                                   "mlp.up", "mlp.down", "mlp.gate"};
    static const std::vector<ProfileQuantity> all{
        {"effective_rank", "similarity", "effective rank", tokens},
        {"token_similarity", "similarity", "mean cosine between tokens", tokens},
        {"head_similarity", "similarity", "mean cosine between heads", heads},
        {"cka", "similarity", "CKA with the last layer"},
        {"lens_loss", "lens", "loss of the logit lens (nats per token)"},
        {"lens_kl", "lens", "KL from the last layer (nats)"},
        {"lens_accuracy", "lens", "accuracy of the logit lens"},
        {name_of(HeadMeasure::kEntropy), "heads", "entropy of attention (nats)"},
        {name_of(HeadMeasure::kSinkMass), "heads", "sink mass (attention to the first token)"},
        {name_of(HeadMeasure::kPreviousToken), "heads", "attention to the previous token"},
        {name_of(HeadMeasure::kCurrentToken), "heads", "attention to the current token"},
        {name_of(HeadMeasure::kDuplicateToken), "heads", "attention to duplicate tokens"},
        {name_of(HeadMeasure::kInduction), "heads", "induction score"},
        {name_of(HeadMeasure::kMeanDistance), "heads", "mean distance (tokens)"},
        {"stream_norm", "mixing", "norm of the residual stream"},
        {"lambda", "mixing", "λ"},
        {"absorption_residual", "absorption", "distance from absorbing the MLP's skip"},
        {"weight_norm", "weights", "Frobenius norm", matrices},
        {"gradient_norm", "weights", "Frobenius norm of the gradient", matrices},
        {"spectral_norm", "weights", "largest singular value", matrices},
        {"stable_rank", "weights", "stable rank Σσ² / σ₁²", matrices},
    };
    return all;
}

const ProfileQuantity& find_quantity(const std::string& name) {
    std::vector<std::string> names;
    for (const ProfileQuantity& quantity : profile_quantities()) {
        if (quantity.name == name) return quantity;
        names.emplace_back(quantity.name);
    }
    throw UserError(name + " is no number that is drawn against depth" + suggestion(name, names));
}

std::string_view name_of(HeadSummary summary) {
    switch (summary) {
        case HeadSummary::kMean:
            return "mean";
        case HeadSummary::kMax:
            return "max";
        case HeadSummary::kMin:
            return "min";
    }
    return "";
}

ProfileNumbers read_profile(const ArrayFile& file, const ProfileQuantity& quantity,
                            const std::string& tensor, HeadSummary heads) {
    const ProbeHeader header = read_probe_header(file);
    if (header.kind != quantity.kind)
        throw UserError(fmt::format("{} holds the probe \"{}\"", file.path().string(), header.kind),
                        fmt::format("give a file that headroom probe {} wrote", quantity.kind));
    std::string of = tensor;
    if (of.empty() && !quantity.tensors.empty()) of = quantity.tensors.front();
    const std::string name(quantity.name);
    if (name == "effective_rank")
        return {axis_of(of), read_rows(file, probe_path(kEffectiveRank, of), 1).values};
    if (name == "token_similarity")
        return {axis_of(of), read_rows(file, token_mean_path(of), 1).values};
    if (name == "head_similarity") return between_heads(file, of);
    if (name == "cka") return with_the_last(file);
    if (name == "lens_loss") return streams(file, kLensLoss);
    if (name == "lens_kl") return streams(file, kLensKl);
    if (name == "lens_accuracy") return streams(file, kLensAccuracy);
    if (name == "stream_norm") return streams(file, kStreamNorm);
    if (name == "lambda")
        return {ProfileAxis::kLayers,
                read_rows(file, probe_path(kMixingGroup, kMixingLambda), 1).values};
    if (name == "absorption_residual")
        return {ProfileAxis::kLayers,
                read_rows(file, probe_path(kAbsorption, kAbsorptionResidual), 1).values};
    if (quantity.kind == "weights") return of_weights(file, name, of);
    return per_head(file, name, heads);
}

}  // namespace headroom

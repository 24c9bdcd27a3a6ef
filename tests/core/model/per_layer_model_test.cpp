#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/config/job_json.h"
#include "core/model/parameters.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"

// Models whose maps, MLPs and skips differ by layer, against models that have one word, and the
// nonlinear value against its formula.

namespace headroom {
namespace {

const std::vector<int32_t> kSixTokens = some_tokens(6, 11);

ModelConfig small_model(const std::string& keys) {
    return small_job(keys).model;
}

std::vector<double> identity_numbers(size_t n) {
    std::vector<double> matrix(n * n, 0.0);
    for (size_t i = 0; i < n; ++i) matrix[i * (n + 1)] = 1.0;
    return matrix;
}

/// Parameters of one layer of a model.
int64_t count_in_layer(const ModelConfig& model, int layer) {
    int64_t count = 0;
    for (const ParameterSpec& spec : parameter_specs(model))
        if (spec.layer == layer) count += spec.count();
    return count;
}

TEST(PerLayerModel, AnIdentityInOneLayerIsAStoredIdentityMatrixThere) {
    struct Case {
        const char *keys, *tensor;
    };
    for (const Case& at :
         {Case{R"("query": ["linear", "linear", "identity", "linear"])", "q"},
          Case{R"("key": ["linear", "linear", "identity", "linear"])", "k"},
          Case{R"("value": ["linear", "linear", "identity", "linear"])", "v"},
          Case{R"("out_proj": ["linear", "linear", "identity", "linear"])", "o"}}) {
        const std::string scale = R"("attn_scale": 0.4, "pos": "rope", "d_model": 16)";
        const ModelConfig mixed = small_model("{" + std::string(at.keys) + ", " + scale + "}");
        const Weights weights = random_weights(mixed);
        const std::string name = std::string("h.2.attn.") + at.tensor + ".weight";
        EXPECT_FALSE(weights.contains(name));
        EXPECT_TRUE(weights.contains(std::string("h.1.attn.") + at.tensor + ".weight"));
        Weights stored = weights;
        stored[name] = identity_numbers(16);
        EXPECT_EQ(forward_logits(mixed, weights, kSixTokens),
                  forward_logits(small_model("{" + scale + "}"), stored, kSixTokens))
            << at.tensor;
    }
}

TEST(PerLayerModel, ASkipThatIsOffInOneLayerIsMissingThereAlone) {
    // Where the MLP gives nothing, a layer without its skip gives nothing either: later layers then
    // see zeros, whatever came before. With the skip they see the stream.
    const ModelConfig off =
        small_model(R"({"skip_mlp": [true, true, false, true], "norm": "none", "norm_f": "none"})");
    Weights weights = random_weights(off);
    for (const char* name : {"h.2.mlp.down.weight", "h.3.attn.o.weight", "h.3.mlp.down.weight"})
        for (double& x : weights[name]) x = 0;
    for (const double logit : forward_logits(off, weights, kSixTokens)) EXPECT_EQ(logit, 0.0);
    ModelConfig on = off;
    on.skip_mlp.set(2, 4, true);
    EXPECT_EQ(on.skip_mlp, true);
    EXPECT_NE(forward_logits(on, weights, kSixTokens)[0], 0.0);
}

TEST(PerLayerModel, ANormThatIsOffInOneLayerIsMissingThereAlone) {
    const ModelConfig off = small_model(R"({"norm": ["rmsnorm", "rmsnorm", "none", "rmsnorm"]})");
    EXPECT_EQ(off.norm_f, NormKind::kRmsNorm);
    Weights weights = random_weights(off);
    EXPECT_FALSE(weights.contains("h.2.ln_1.weight") || weights.contains("h.2.ln_2.weight"));
    // Layer 2 reads the stream as it is: as large as one chooses, while its neighbours do not see
    // the size of what they read.
    for (const char* name : {"h.2.attn.o.weight", "h.2.mlp.down.weight"})
        for (double& x : weights[name]) x = 0;
    const std::vector<double> still = forward_logits(off, weights, kSixTokens);
    ModelConfig on = off;
    on.norm.set(2, 4, NormKind::kRmsNorm);
    EXPECT_EQ(on.norm, NormKind::kRmsNorm);
    Weights with = weights;
    const auto width = static_cast<size_t>(on.d_model);
    with["h.2.ln_1.weight"] = with["h.2.ln_2.weight"] = std::vector<double>(width, 1.0);
    EXPECT_EQ(forward_logits(on, with, kSixTokens), still);  // what layer 2 reads is not written
    for (double& x : weights["h.2.mlp.down.weight"]) x = 1;
    with["h.2.mlp.down.weight"] = weights["h.2.mlp.down.weight"];
    EXPECT_NE(forward_logits(on, with, kSixTokens), forward_logits(off, weights, kSixTokens));
}

TEST(PerLayerModel, CountsAreTheSumsOfWhatTheLayersHave) {
    const std::vector<std::string> layers{
        R"({"query": "linear", "mlp": "gelu", "value": "nonlinear", "nv_rank": 3})",
        R"({"query": "identity", "mlp": "swiglu", "value": "linear", "nv_rank": 3})",
        R"({"query": "nonlinear", "mlp": "relu2", "value": "identity", "nv_rank": 3})",
        R"({"query": "residual", "mlp": "geglu", "value": "linear", "nv_rank": 3})"};
    const ModelConfig mixed = small_model(R"({"nv_rank": 3,
        "query": ["linear", "identity", "nonlinear", "residual"],
        "mlp": ["gelu", "swiglu", "relu2", "geglu"],
        "value": ["nonlinear", "linear", "identity", "linear"]})");
    int64_t sum = count_in_layer(mixed, -1);
    int64_t products = 0;
    for (int l = 0; l < 4; ++l) {
        const ModelConfig alone = small_model(layers[static_cast<size_t>(l)]);
        EXPECT_EQ(count_in_layer(mixed, l), count_in_layer(alone, l)) << l;
        sum += count_in_layer(alone, l);
        products += count_flops(alone, 6).product_parameters;
    }
    EXPECT_EQ(count_parameters(mixed).total, sum);
    // Each of the four models has its kind of layer four times, and the head once.
    const int64_t head = mixed.vocab_size * mixed.d_model;
    EXPECT_EQ(4 * (count_flops(mixed, 6).product_parameters - head), products - 4 * head);
    EXPECT_EQ(count_cache(mixed).numbers_per_token, 4 * 2 * 8);
}

/// y = x W, W [rows(x), columns].
std::vector<double> times(const std::vector<double>& x, const std::vector<double>& w) {
    const size_t columns = w.size() / x.size();
    std::vector<double> y(columns, 0.0);
    for (size_t i = 0; i < x.size(); ++i)
        for (size_t j = 0; j < columns; ++j) y[j] += x[i] * w[i * columns + j];
    return y;
}

std::vector<double> normed(std::vector<double> x, const std::vector<double>& gain, bool centred) {
    const double n = static_cast<double>(x.size());
    double mean = 0, square = 0;
    for (const double v : x) mean += v / n;
    for (double& v : x) v -= centred ? mean : 0;
    for (const double v : x) square += v * v / n;
    for (size_t i = 0; i < x.size(); ++i) x[i] *= gain[i] / std::sqrt(square + 1e-5);
    return x;
}

TEST(PerLayerModel, TheNonlinearValueFollowsItsFormula) {
    // One token attends to itself alone: the heads give V. V = u + LN(GELU(RMS(u) W_up) W_down).
    const ModelConfig model = small_model(
        R"({"n_layer": 1, "value": "nonlinear", "nv_rank": 5, "pos": "none", "tie": false})");
    const Weights weights = random_weights(model);
    const auto w = [&](const std::string& name) { return weights.at(name + ".weight"); };
    const std::vector<double> table = w("wte");
    std::vector<double> x(table.begin() + 3 * 8, table.begin() + 4 * 8);
    const std::vector<double> u = normed(x, w("h.0.ln_1"), true);
    std::vector<double> hidden =
        times(normed(u, w("h.0.attn.nv.norm"), false), w("h.0.attn.nv.up"));
    const auto gelu = [](double z) { return z / 2 * (1 + std::erf(z / std::sqrt(2.0))); };
    for (double& z : hidden) z = gelu(z);
    std::vector<double> v = normed(times(hidden, w("h.0.attn.nv.down")), w("h.0.attn.nv.ln"), true);
    for (size_t i = 0; i < v.size(); ++i) v[i] += u[i];
    const std::vector<double> out = times(v, w("h.0.attn.o"));
    for (size_t i = 0; i < x.size(); ++i) x[i] += out[i];
    hidden = times(normed(x, w("h.0.ln_2"), true), w("h.0.mlp.up"));
    for (double& z : hidden) z = gelu(z);
    const std::vector<double> mlp = times(hidden, w("h.0.mlp.down"));
    for (size_t i = 0; i < x.size(); ++i) x[i] += mlp[i];
    const std::vector<double> logits = times(normed(x, w("ln_f"), true), w("lm_head"));
    EXPECT_LT(relative_error(forward_logits(model, weights, {3}), logits), 1e-13);
}

TEST(PerLayerModel, ANonlinearValueHasAsManyNumbersAsTheMatrixItReplaces) {
    // W_up [d, d / 2] and W_down [d / 2, d] are d^2 numbers; two gains come on top.
    const auto total = [](const std::string& keys) {
        return count_parameters(parse_model_config(nlohmann::json::parse(keys), "")).total;
    };
    EXPECT_EQ(total(R"({"value": "nonlinear"})"), total("{}") + 12 * 2 * 768);
}

}  // namespace
}  // namespace headroom

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/probe/probe_kind.h"
#include "core/train/initial_weights.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/support/made_weights.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

constexpr int64_t kEditedRows = 2, kEditedLength = 6;

class Interventions : public testing::Test {
  protected:
    /// The file of a probe over both sequences, `pass_rows` at a time.
    ArrayFile probe(const std::string& kind, const Job& job, const Weights& weights,
                    int64_t pass_rows = 1, const ProbeValues& given = {}) {
        const MadeWeights made(job.model,
                               [&](const std::string& name) { return weights.at(name); });
        ProbeTokens tokens{kEditedRows, kEditedLength, tokens_of(job), {}};
        if (equal_rows_)
            std::copy_n(tokens.ids.begin(), kEditedLength, tokens.ids.begin() + kEditedLength);
        ProbeValues values = find_probe_kind(kind).schema.standard_values();
        for (const ProbeOption& option : find_probe_kind(kind).schema.options)
            if (given.has(option.name)) values.set(option.name, given.value(option.name));
        const ProbeTask task{.weights = made,
                             .tokens = tokens,
                             .pass_rows = pass_rows,
                             .precision = DType::kF64,
                             .options = values,
                             .device = *device_,
                             .job = job,
                             .convert = converted_weights};
        const std::filesystem::path path = folder_ / "probe.h5";
        std::filesystem::remove(path);
        ArrayFileWriter file(path);
        find_probe_kind(kind).measure(task).write(file);
        file.commit();
        return ArrayFile(path);
    }
    static std::vector<int32_t> tokens_of(const Job& job) {
        return some_tokens(kEditedRows * kEditedLength, job.model.vocab_size);
    }

    TemporaryFolder folder_;
    bool equal_rows_ = false;  ///< every sequence is the first
    std::unique_ptr<Device> device_ = make_cpu_device();
};

class InterventionsInEvery : public Interventions,
                             public testing::WithParamInterface<Architecture> {};

TEST_P(InterventionsInEvery, CanBeInterferedWithAndLosesNothingByReadingItself) {
    const Job job = small_job(GetParam().keys);
    const Weights weights = random_weights(job.model);
    const double loss = loss_of(job.model, weights, tokens_of(job), kEditedLength);
    const ArrayFile rewired = probe("rewire", job, weights);
    EXPECT_NEAR(rewired.read_all<double>("/rewire/loss")[0], loss, 1e-11 * loss);
    const int64_t n_layer = job.model.n_layer;
    for (const char* name : {"/rewire/keys", "/rewire/values"}) {
        const TensorType type = rewired.type(name);
        EXPECT_EQ(type.dtype, DType::kF64);
        ASSERT_EQ(type.shape, (Shape{n_layer, job.model.n_kv_head, n_layer}));
        const std::vector<double> losses = rewired.read_all<double>(name);
        for (int64_t at = 0; at < type.count(); ++at) {
            const int64_t source = at % n_layer, layer = at / n_layer / job.model.n_kv_head;
            const double value = losses[static_cast<size_t>(at)];
            EXPECT_EQ(std::isnan(value), source > layer) << name << " " << at;
            if (source == layer) {
                EXPECT_NEAR(value, loss, 1e-11 * loss);
            }
        }
    }
    const ArrayFile ablated = probe("ablation", job, weights, kEditedRows);
    EXPECT_NEAR(ablated.read_all<double>("/ablation/loss")[0], loss, 1e-11 * loss);
    for (const char* name : {"/ablation/zero", "/ablation/mean"})
        EXPECT_EQ(ablated.type(name).shape, (Shape{n_layer, job.model.n_head}));
}

INSTANTIATE_TEST_SUITE_P(Every, InterventionsInEvery, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

TEST_F(Interventions, AblationByZeroEqualsZeroRowsOfTheOutputMap) {
    for (const char* keys : {R"({})", R"({"arch": "gqa"})", R"({"arch": "skipv1"})"}) {
        const Job job = small_job(keys);
        const Weights weights = random_weights(job.model);
        const std::vector<double> zero =
            probe("ablation", job, weights).read_all<double>("/ablation/zero");
        for (int64_t layer = 0; layer < job.model.n_layer; ++layer)
            for (int64_t head = 0; head < job.model.n_head; ++head) {
                Weights changed = weights;
                std::vector<double>& o =
                    changed.at("h." + std::to_string(layer) + ".attn.o.weight");
                const int64_t block = job.model.d_head * job.model.d_model;
                std::fill_n(o.begin() + head * block, block, 0.0);
                EXPECT_NEAR(zero[static_cast<size_t>(layer * job.model.n_head + head)],
                            loss_of(job.model, changed, tokens_of(job), kEditedLength), 1e-12);
            }
    }
}

TEST_F(Interventions, AblationByTheMeanIsNothingWhereAHeadsOutputIsConstant) {
    const Job job = small_job(R"({"bias": true})");
    Weights weights = random_weights(job.model);
    std::vector<double>& v = weights.at("h.1.attn.v.weight");  // values are the bias alone
    std::fill(v.begin(), v.end(), 0.0);
    const ArrayFile file = probe("ablation", job, weights);
    const double loss = file.read_all<double>("/ablation/loss")[0];
    const std::vector<double> mean = file.read_all<double>("/ablation/mean");
    const std::vector<double> zero = file.read_all<double>("/ablation/zero");
    const auto n_head = static_cast<size_t>(job.model.n_head);
    for (size_t head = 0; head < n_head; ++head) {
        EXPECT_NEAR(mean[n_head + head], loss, 1e-12);
        EXPECT_GT(std::abs(zero[n_head + head] - loss), 1e-6);
    }
}

/// The model in which head `head` of layer `layer` reads its key or value from layer `source`.
nlohmann::json rewired_keys(const std::string& table, const nlohmann::json& base, int64_t layer,
                            int64_t head, int64_t source) {
    nlohmann::json keys = base, rows = nlohmann::json::array();
    for (int64_t l = 0; l < 4; ++l) rows.push_back("own");
    rows[static_cast<size_t>(layer)] = nlohmann::json::array();
    int64_t own = 0;
    for (int64_t h = 0; h < 4; ++h) {
        const nlohmann::json from =
            h == head ? nlohmann::json{source, h} : nlohmann::json{layer, own++};
        rows[static_cast<size_t>(layer)].push_back(nlohmann::json::array({from}));
    }
    keys["wiring"] = {{table, rows}};
    return keys;
}

TEST_F(Interventions, RewiringEqualsTheModelOfThatWiring) {
    for (const char* text : {R"({})", R"({"pos": "rope"})"}) {
        const nlohmann::json base = nlohmann::json::parse(text);
        const Job job = small_job(text);
        const Weights weights = random_weights(job.model);
        const ArrayFile file = probe("rewire", job, weights);
        for (const std::string table : {"keys", "values"})
            for (const auto& [layer, head, source] :
                 {std::array<int64_t, 3>{3, 1, 0}, {2, 3, 1}, {1, 0, 0}}) {
                const Job other = small_job(rewired_keys(table, base, layer, head, source).dump());
                Weights cut = weights;  // without the columns of the head
                const std::string name =
                    "h." + std::to_string(layer) + ".attn." + table.substr(0, 1) + ".weight";
                const int64_t d = job.model.d_model, width = job.model.d_head;
                std::vector<double> kept;
                for (int64_t i = 0; i < d; ++i)
                    for (int64_t c = 0; c < 4 * width; ++c)
                        if (c / width != head)
                            kept.push_back(
                                weights.at(name)[static_cast<size_t>(i * 4 * width + c)]);
                cut[name] = kept;
                const std::vector<double> losses = file.read_all<double>("/rewire/" + table);
                EXPECT_NEAR(losses[static_cast<size_t>((layer * 4 + head) * 4 + source)],
                            loss_of(other.model, cut, tokens_of(job), kEditedLength), 1e-12)
                    << text << table << layer << head << source;
            }
    }
}

ProbeValues edit_of(const std::string& lines) {
    ProbeValues values;
    values.set("edit", lines);
    return values;
}

TEST_F(Interventions, AWiringLaidOverTheWeightsHasTheLossOfTheMapsEntry) {
    const Job job = small_job("{}");
    const Weights weights = random_weights(job.model);
    const ArrayFile map = probe("rewire", job, weights);
    const std::vector<double> keys = map.read_all<double>("/rewire/keys");
    const std::vector<double> values = map.read_all<double>("/rewire/values");
    const auto trial = [&](const std::string& edit) {
        const ArrayFile file = probe("wiring", job, weights, 1, edit_of(edit));
        EXPECT_NEAR(file.read_all<double>("/wiring/loss")[0],
                    loss_of(job.model, weights, tokens_of(job), kEditedLength), 1e-12);
        return file.read_all<double>("/wiring/rewired")[0];
    };
    const auto entry = [](int layer, int head, int source) {
        return static_cast<size_t>((layer * 4 + head) * 4 + source);
    };
    EXPECT_NEAR(trial("values 3.1 read 0"), values[entry(3, 1, 0)], 1e-12);
    EXPECT_NEAR(trial("keys 2.3 read 1"), keys[entry(2, 3, 1)], 1e-12);
    EXPECT_GT(std::abs(values[entry(3, 1, 0)] - keys[entry(2, 3, 1)]), 1e-6);
    try {
        trial("values 1 read 0; values 0 read 3");
        ADD_FAILURE() << "layer 0 read layer 3";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("\" values 0 read 3\" cannot be done"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(Interventions, EachStepOfSharingHasTheLossOfItsWiring) {
    const Job job = small_job("{}");
    const Weights weights = random_weights(job.model);
    ProbeValues all;
    all.set("threshold", int64_t{-100});
    const ArrayFile file = probe("sharing", job, weights, 1, all);
    const std::vector<int32_t> order = file.read_all<int32_t>("/sharing/order");
    const std::vector<double> losses = file.read_all<double>("/sharing/losses");
    ASSERT_EQ(order.size(), 6u) << "each layer but the first shares";
    std::map<int32_t, int32_t> source_of;
    for (size_t step = 0; step < 3; ++step) {
        // Who read the reader by now reads what that one reads.
        source_of[order[2 * step]] = order[2 * step + 1];
        std::string edit;
        for (const auto& [reader, source] : source_of) {
            int32_t last = source;
            while (source_of.contains(last)) last = source_of.at(last);
            edit += fmt::format("{}keys {} read {}; values {} read {}", edit.empty() ? "" : "; ",
                                reader, last, reader, last);
        }
        const ArrayFile trial = probe("wiring", job, weights, 1, edit_of(edit));
        EXPECT_NEAR(trial.read_all<double>("/wiring/rewired")[0], losses[step], 1e-12) << edit;
    }
}

TEST_F(Interventions, SharingLooksAtWhatTheClassifierReads) {
    for (const char* const keys :
         {R"({"arch": "skipless"})", R"({"arch": "parallel"})", R"({"arch": "attn_skip_only"})",
          R"({"hyper": "hc", "n_stream": 2, "norm_f": "none"})", R"({"norm_f": "none"})"}) {
        const Job job = small_job(keys);
        ProbeValues all;
        all.set("threshold", int64_t{-100});
        const ArrayFile file = probe("sharing", job, random_weights(job.model), 1, all);
        for (const double cosine : file.read_all<double>("/sharing/cosine"))
            EXPECT_TRUE(cosine >= -1 - 1e-12 && cosine <= 1 + 1e-12) << keys << " " << cosine;
    }
}

TEST_F(Interventions, AResampledHeadIsNothingWhereTheSequencesAreEqual) {
    const Job job = small_job("{}");
    const Weights weights = random_weights(job.model);
    const ArrayFile file = probe("ablation", job, weights);
    const double loss = file.read_all<double>("/ablation/loss")[0];
    bool differs = false;
    for (const double other : file.read_all<double>("/ablation/resampled"))
        differs |= std::abs(other - loss) > 1e-6;
    EXPECT_TRUE(differs);
    for (const double cosine : file.read_all<double>("/ablation/similarity")) {
        EXPECT_LE(cosine, 1.0 + 1e-12);
        EXPECT_GE(cosine, -1.0 - 1e-12);
    }
    equal_rows_ = true;
    const ArrayFile equal = probe("ablation", job, weights);
    const double same = equal.read_all<double>("/ablation/loss")[0];
    for (const double other : equal.read_all<double>("/ablation/resampled"))
        EXPECT_NEAR(other, same, 1e-12);
}

TEST_F(Interventions, LayersThatDifferMostShareFirstAndEachReadsOnce) {
    const Job job = small_job("{}");
    const Weights weights = random_weights(job.model);
    const ArrayFile file = probe("sharing", job, weights);
    const std::vector<double> distance = file.read_all<double>("/sharing/distance");
    const int64_t n_layer = job.model.n_layer;
    double most = 0;
    for (int64_t a = 0; a < n_layer; ++a)
        for (int64_t b = 0; b < n_layer; ++b) {
            const double d = distance[static_cast<size_t>(a * n_layer + b)];
            EXPECT_EQ(std::isnan(d), b >= a);
            if (b < a) most = std::max(most, d);
        }
    EXPECT_GT(most, 0);
    if (file.type("/sharing/order").shape[0] == 0) return;
    const std::vector<int32_t> order = file.read_all<int32_t>("/sharing/order");
    std::set<int32_t> readers;
    for (size_t i = 0; i < order.size(); i += 2) {
        EXPECT_LT(order[i + 1], order[i]);
        EXPECT_TRUE(readers.insert(order[i]).second);
    }
    for (const double cosine : file.read_all<double>("/sharing/cosine")) EXPECT_GT(cosine, 0.5);
}

TEST_F(Interventions, NeedANextToken) {
    const Job job = small_job("{}");
    const Weights weights = random_weights(job.model);
    const MadeWeights made(job.model, [&](const std::string& name) { return weights.at(name); });
    const ProbeTokens tokens{1, 1, {3}, {}};
    const ProbeValues values;
    for (const char* kind : {"ablation", "rewire"})
        EXPECT_THROW(find_probe_kind(kind).measure({.weights = made,
                                                    .tokens = tokens,
                                                    .precision = DType::kF64,
                                                    .options = values,
                                                    .device = *device_,
                                                    .job = job}),
                     UserError);
}

}  // namespace
}  // namespace headroom

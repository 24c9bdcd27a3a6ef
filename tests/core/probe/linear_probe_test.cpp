#include "core/probe/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/probe/line_fit.h"
#include "core/probe/linear_probe_file.h"
#include "core/train/training_session.h"
#include "core/weights/live_weights.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/tiny_model.h"
#include "tests/core/train/test_data.h"
#include "tests/support/made_weights.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

constexpr int64_t kVocab = 7, kRows = 64, kWidth = 12;

ClassifierSet small_set(int streams, int64_t steps) {
    ClassifierSet set;
    set.streams = streams;
    set.rates = {0.05};
    set.rows = kRows;
    set.d_model = kWidth;
    set.vocab_size = kVocab;
    set.type = DType::kF64;
    set.train.steps = steps;
    set.train.warmup_steps = 0;
    set.train.weight_decay = 0;
    return set;
}

/// Targets with p(0) = 1/2 and the rest evenly.
std::vector<int32_t> skewed_targets(uint32_t batch) {
    std::vector<int32_t> targets;
    for (uint32_t i = 0; i < kRows; ++i) {
        const auto words = Philox::block({i, batch, 0, 0}, 1, 2);
        targets.push_back(words[0] & 1U ? 0 : static_cast<int32_t>(1 + words[1] % (kVocab - 1)));
    }
    return targets;
}

/// Rows that say what the target is, and rows that do not.
std::vector<double> telling_stream(std::span<const int32_t> targets) {
    std::vector<double> rows(kRows * kWidth, 0.1);
    for (size_t i = 0; i < targets.size(); ++i)
        rows[i * kWidth + static_cast<size_t>(targets[i])] = 3.0;
    return rows;
}

std::vector<double> noise_stream(uint32_t batch) {
    std::vector<double> rows(kRows * kWidth);
    for (size_t i = 0; i < rows.size(); ++i)
        rows[i] = Philox::block({static_cast<uint32_t>(i), batch, 7, 0}, 3, 4)[0] * 0x1.0p-32 - 0.5;
    // A norm without a bias needs a direction that is always there to tell frequent from rare.
    for (size_t i = 0; i < rows.size(); i += kWidth) rows[i] = 2.0;
    return rows;
}

void write(ProbeClassifiers& probes, uint32_t batch) {
    const std::vector<int32_t> targets = skewed_targets(batch);
    probes.write_targets(0, targets);
    probes.write_stream<double>(0, telling_stream(targets));
    probes.write_stream<double>(1, noise_stream(batch));
}

TEST(ProbeClassifiers, FindWhatAStreamSaysAndTheUnigramEntropyInNoise) {
    constexpr int64_t kProbeSteps = 400;
    const auto device = make_cpu_device();
    ProbeClassifiers probes(small_set(2, kProbeSteps), *device);
    for (int64_t step = 1; step <= kProbeSteps; ++step) {
        write(probes, static_cast<uint32_t>(step));
        probes.train(step, 0);
    }
    double telling = 0, noise = 0, entropy = 0;
    constexpr uint32_t kBatches = 50;
    for (uint32_t batch = 0; batch < kBatches; ++batch) {
        write(probes, 100000 + batch);
        probes.evaluate();
        telling += probes.eval_loss(0, 0, 0) / kBatches;
        noise += probes.eval_loss(1, 0, 0) / kBatches;
        for (const int32_t t : skewed_targets(100000 + batch))
            entropy -= std::log(t == 0 ? 0.5 : 0.5 / (kVocab - 1)) / (kRows * kBatches);
    }
    EXPECT_LT(telling, 0.01);
    EXPECT_NEAR(noise, entropy, 0.05);
    EXPECT_GT(noise, entropy - 0.005);
}

TEST(ProbeClassifiers, SeveralRatesInOneGraphAreWhatEachIsAlone) {
    const auto device = make_cpu_device();
    const auto losses = [&](std::vector<double> rates) {
        ClassifierSet set = small_set(2, 20);
        set.rates = std::move(rates);
        ProbeClassifiers probes(set, *device);
        for (int64_t step = 1; step <= 20; ++step) {
            write(probes, static_cast<uint32_t>(step));
            probes.train(step, 0);
        }
        std::vector<double> found;
        for (int s = 0; s < 2; ++s)
            for (size_t r = 0; r < set.rates.size(); ++r)
                found.push_back(probes.train_loss(s, 0, static_cast<int>(r)));
        return found;
    };
    const auto both = losses({0.01, 0.05}), low = losses({0.01}), high = losses({0.05});
    EXPECT_EQ(both, (std::vector<double>{low[0], high[0], low[1], high[1]}));
    EXPECT_NE(low[0], high[0]);
}

TEST(ProbeClassifiers, MicroBatchesAddUpToOneLargeBatch) {
    const auto device = make_cpu_device();
    ClassifierSet whole = small_set(1, 3), halves = small_set(1, 3);
    halves.rows = kRows / 2;
    halves.train.grad_accum = 2;
    ProbeClassifiers one(whole, *device), two(halves, *device);
    for (int64_t step = 1; step <= 3; ++step) {
        const std::vector<int32_t> targets = skewed_targets(static_cast<uint32_t>(step));
        const std::vector<double> stream = telling_stream(targets);
        one.write_targets(0, targets);
        one.write_stream<double>(0, stream);
        one.train(step, 0);
        double mean = 0;
        for (int64_t micro = 0; micro < 2; ++micro) {
            const auto half = static_cast<size_t>(kRows / 2),
                       first = static_cast<size_t>(micro) * half;
            two.write_targets(0, std::span(targets).subspan(first, half));
            two.write_stream<double>(
                0, std::span<const double>(stream).subspan(first * kWidth, half * kWidth));
            two.train(step, micro);
            mean += two.train_loss(0, 0, 0) / 2;
        }
        EXPECT_NEAR(mean, one.train_loss(0, 0, 0), 1e-12) << "step " << step;
    }
}

/// A job that learns to count in a moment.
Job counting_job() {
    Job job = tiny_job();
    job.precision = DType::kF32;
    job.train.steps = 300;
    job.train.batch_size = 8;
    job.train.lr = 2e-2;
    job.train.min_lr = 2e-3;
    job.train.warmup_steps = 10;
    job.train.eval_batches = 10;
    return job;
}

LinearProbeOptions quick_options() {
    LinearProbeOptions options;
    options.rates = {0.01, 0.03};
    options.steps = 200;
    return options;
}

/// The counting model, trained, and its own validation loss.
struct TrainedModel {
    Job job = counting_job();
    CountingTokens data{job.model.vocab_size};
    std::unique_ptr<Device> device = make_cpu_device();
    TrainingSession session{job, data, *device};
    double loss = 0;

    TrainedModel() {
        session.initialize();
        for (int64_t step = 1; step <= job.train.steps; ++step) session.step(step);
        loss = session.evaluate();
    }
    LinearProbeResult probe(const LinearProbeOptions& options) {
        const auto load = [this](ProbePass& pass) {
            pass.load(
                LiveWeights(session.executor(), session.training_graph().parameters, job.model));
        };
        return train_linear_probes(job, data, load, options, *device);
    }
    std::vector<float> weights() const {
        std::vector<float> all;
        for (const GraphParameter& parameter : session.training_graph().parameters) {
            std::vector<float> values(static_cast<size_t>(parameter.spec.count()));
            session.executor().read(parameter.value, std::as_writable_bytes(std::span(values)));
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    }
};

TEST(LinearProbe, OfATrainedModelsLastLayerIsAboutAsGoodAsTheModel) {
    TrainedModel model;
    const std::vector<float> before = model.weights();
    const LinearProbeResult result = model.probe(quick_options());
    EXPECT_EQ(before, model.weights()) << "the model is frozen";
    ASSERT_EQ(result.layers, (std::vector<int32_t>{0, 1, 2}));
    EXPECT_NEAR(result.val_loss.back(), model.loss, 0.05);
    EXPECT_NEAR(result.train_loss.back(), model.loss, 0.1);
    EXPECT_EQ(result.slope_first, 1);
    EXPECT_EQ(result.slope_last, 2);
    EXPECT_DOUBLE_EQ(result.slope, result.val_loss[2] - result.val_loss[1]);
}

TEST(LinearProbe, TakesTheRateWithTheLowestValidationLoss) {
    TrainedModel model;
    const LinearProbeResult result = model.probe(quick_options());
    for (size_t l = 0; l < result.layers.size(); ++l) {
        const double first = result.all_val_loss[2 * l], second = result.all_val_loss[2 * l + 1];
        EXPECT_EQ(result.val_loss[l], std::min(first, second));
        EXPECT_EQ(result.lr[l], first <= second ? 0.01 : 0.03);
        EXPECT_EQ(result.selectivity[l], result.control_val_loss[l] - result.val_loss[l]);
    }
}

TEST(LinearProbe, ItsTrainLossIsOfTheLastTenthOfItsSteps) {
    TrainedModel model;
    LinearProbeOptions options = quick_options();
    options.rates = {0.01};
    options.layers = {0};
    options.control = false;
    std::vector<double> losses;
    options.on_step = [&](int64_t, double loss) { losses.push_back(loss); };
    const LinearProbeResult result = model.probe(options);
    ASSERT_EQ(losses.size(), 200u);
    double mean = 0;
    for (size_t step = 180; step < 200; ++step) mean += losses[step] / 20;
    EXPECT_NEAR(result.train_loss[0], mean, 1e-12);
}

TEST(LinearProbe, ARateThatDivergesIsNotTaken) {
    TrainedModel model;
    LinearProbeOptions options = quick_options();
    options.steps = 30;
    options.rates = {1e30, 0.03};
    const LinearProbeResult result = model.probe(options);
    for (size_t l = 0; l < result.layers.size(); ++l) {
        ASSERT_TRUE(std::isnan(result.all_val_loss[2 * l])) << "a rate that diverges";
        EXPECT_EQ(result.lr[l], 0.03);
        EXPECT_EQ(result.val_loss[l], result.all_val_loss[2 * l + 1]);
    }
}

TEST(LinearProbe, RepeatsItselfBitForBitAndPartsOfItAreThoseOfTheWhole) {
    TrainedModel model;
    LinearProbeOptions options = quick_options();
    options.steps = 30;
    const LinearProbeResult whole = model.probe(options);
    EXPECT_EQ(whole, model.probe(options));
    options.layers = {2};
    options.control = false;
    const LinearProbeResult last = model.probe(options);
    EXPECT_EQ(last.val_loss, std::vector<double>{whole.val_loss[2]});
    EXPECT_TRUE(last.selectivity.empty());
    EXPECT_TRUE(std::isnan(last.slope)) << "one layer has no slope";
}

/// Random tokens; the targets are the positions, or random too.
class RandomTokens : public CountingTokens {
  public:
    RandomTokens(int64_t vocab_size, bool positions)
        : CountingTokens(vocab_size), positions_(positions) {}

    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const std::span<int32_t> inputs = batch.tokens(), targets = batch.targets();
        const int64_t seq_len = batch.seq_len();
        const auto n = static_cast<uint32_t>(info().vocab_size);
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto words = Philox::block({static_cast<uint32_t>(i), static_cast<uint32_t>(step),
                                              static_cast<uint32_t>(micro), 0},
                                             5, 6);
            inputs[i] = static_cast<int32_t>(words[0] % n);
            targets[i] =
                static_cast<int32_t>(positions_ ? i % static_cast<size_t>(seq_len) : words[1] % n);
        }
    }

  private:
    bool positions_;
};

/// Blocks that do nothing on streams that say the token (2 at its own place) or the position.
std::vector<double> plain_tensor(const Job& job, const std::string& name, bool tell_token) {
    const auto specs = parameter_specs(job.model);
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const ParameterSpec& s) { return s.name == name; });
    std::vector<double> values(static_cast<size_t>(spec->count()));
    if (name == (tell_token ? "wte.weight" : "wpe.weight"))
        for (int64_t row = 0; row < spec->shape[0]; ++row)
            values[static_cast<size_t>(row * spec->shape[1] + row)] = 2.0;
    return values;
}

double plain_selectivity(bool positions, bool tell_token) {
    Job job = counting_job();
    job.model.d_model = job.model.vocab_size + 1;
    job.model.d_head = job.model.d_model / 2;
    const RandomTokens data(job.model.vocab_size, positions);
    const auto load = [&](ProbePass& pass) {
        pass.load(MadeWeights(job.model, [&](const std::string& name) {
            return plain_tensor(job, name, tell_token);
        }));
    };
    LinearProbeOptions options = quick_options();
    options.layers = {0};
    return train_linear_probes(job, data, load, options, *make_cpu_device()).selectivity[0];
}

TEST(LinearProbe, IsSelectiveForWhatTheStreamSaysAndNotForWhatOnlyTheTokenSays) {
    EXPECT_GT(plain_selectivity(true, false), 1.0) << "the stream says the target, not the token";
    EXPECT_LT(plain_selectivity(false, true), -1.0) << "the stream says the token, not the target";
}

TEST(LinearProbe, TheControlTaskOfMaskedTokensIsOfWhatTheMaskHides) {
    Job job = counting_job();
    const RandomTokens data(job.model.vocab_size, false);
    ++job.model.vocab_size;  // the mask
    job.model.d_model = job.model.vocab_size;
    job.model.d_head = job.model.d_model / 2;
    job.model.causal = false;
    job.train.objective = TrainingObjective::kMasked;
    job.train.mask_rate = 0.5;
    const auto load = [&](ProbePass& pass) {
        pass.load(MadeWeights(
            job.model, [&](const std::string& name) { return plain_tensor(job, name, true); }));
    };
    LinearProbeOptions options = quick_options();
    options.layers = {0};
    const LinearProbeResult result =
        train_linear_probes(job, data, load, options, *make_cpu_device());
    EXPECT_GT(result.control_val_loss[0], 1.0) << "the stream says what stands there by now";
}

TEST(LinearProbe, ControlTargetsFollowTheTargetsDistribution) {
    const Job job = counting_job();
    const CountingTokens data(job.model.vocab_size);
    const std::vector<int32_t> targets = control_targets(job, data, 20000);
    EXPECT_EQ(targets, control_targets(job, data, 20000));
    std::vector<double> share(static_cast<size_t>(job.model.vocab_size));
    for (const int32_t target : targets) share.at(static_cast<size_t>(target)) += 1.0 / 20000;
    for (const double s : share) EXPECT_NEAR(s, 1.0 / 11, 0.03);
}

/// Probes of every layer of an untrained model and of the same model trained, for the class.
std::pair<LinearProbeResult, LinearProbeResult> probes_of_images(const std::string& keys) {
    const Job job = image_job_that_learns(keys);
    const BrightPatch data(job.model.vocab_size);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    const auto probe = [&] {
        const LiveWeights weights(session.executor(), session.training_graph().parameters,
                                  job.model);
        return train_linear_probes(
            job, data, [&](ProbePass& pass) { pass.load(weights); }, quick_options(), *device);
    };
    const LinearProbeResult before = probe();
    for (int64_t step = 1; step <= job.train.steps; ++step) session.step(step);
    return {before, probe()};
}

/// Attention has to bring to the class token which patch is bright; the mean has it from the
/// beginning. Without types of tokens there is no control task.
TEST(LinearProbe, OfImagesSaysWhatTheClassifierCouldReadAfterEachLayer) {
    for (const char* pooling : {"class_token", "mean"}) {
        const auto [before, after] =
            probes_of_images(fmt::format(R"({{"d_model": 16, "pooling": "{}"}})", pooling));
        ASSERT_EQ(after.val_accuracy.size(), 4u);
        EXPECT_GE(after.val_accuracy[3], 0.9) << pooling;
        EXPECT_LT(after.val_loss[3], 0.4) << pooling;
        EXPECT_LT(after.val_loss[3], before.val_loss[3]) << pooling;
        EXPECT_TRUE(after.control_val_loss.empty());
        EXPECT_TRUE(after.selectivity.empty());
        // Of 128 pictures, one prediction each.
        const double pictures = 128 * after.val_accuracy[0];
        EXPECT_NEAR(pictures, std::round(pictures), 1e-9);
    }
}

TEST(LinearProbe, RefusesLayersThatTheModelLacks) {
    TrainedModel model;
    LinearProbeOptions options = quick_options();
    for (const int64_t layer : {int64_t{3}, int64_t{1} << 32}) {  // not cut to 0
        options.layers = {layer};
        EXPECT_THROW(model.probe(options), UserError) << layer;
    }
}

TEST(LinearProbe, FitsTheDeepHalf) {
    EXPECT_EQ(deep_half(12), (std::pair{7, 11}));
    EXPECT_EQ(deep_half(24), (std::pair{13, 23}));
    EXPECT_EQ(deep_half(4), (std::pair{2, 3}));
    EXPECT_EQ(deep_half(2), (std::pair{0, 1}));
    EXPECT_EQ(deep_half(1), (std::pair{0, 0}));
}

TEST(LinearProbe, WarmsUpForTheSameShareOfItsSteps) {
    TrainConfig train;
    train.steps = 1000;
    train.warmup_steps = 100;
    EXPECT_EQ(probe_training(train, 4000).warmup_steps, 400);
    EXPECT_EQ(probe_training(train, 4000).steps, 4000);
    train.steps = 100;
    train.decay_steps = 1000;  // a tenth of what the rate falls over
    EXPECT_EQ(probe_training(train, 4000).warmup_steps, 400);
}

TEST(LinearProbe, ItsRateFallsOverItsOwnSteps) {
    TrainConfig train;
    train.steps = 100;
    train.decay_steps = 1000;
    EXPECT_EQ(probe_training(train, 40).cosine_steps(), 40);
    EXPECT_EQ(probe_training(train, 4000).cosine_steps(), 4000);
}

TEST(LineFit, GoesThroughALineAndBetweenPoints) {
    const std::vector<double> x{1, 2, 4}, line{5, 3, -1}, one{1}, y{2};
    EXPECT_DOUBLE_EQ(fit_line(x, line).slope, -2);
    EXPECT_DOUBLE_EQ(fit_line(x, line).at(0), 7);
    EXPECT_TRUE(std::isnan(fit_line(one, y).slope));
}

TEST(LinearProbeFile, ReturnsWhatWasWritten) {
    LinearProbeResult result;
    result.layers = {2, 5};
    result.rates = {1e-4, 2e-4, 3e-4};
    result.all_val_loss = {3.25, 3.125, 3.5, 2, 2.5, 2.25};
    result.lr = {2e-4, 1e-4};
    result.val_loss = {3.125, 2};
    result.train_loss = {3, 1.75};
    result.control_val_loss = {4, 5};
    result.selectivity = {0.875, 3};
    result.val_accuracy = {0.25, 0.5};
    result.steps = 150;
    result.slope = -0.375;
    result.slope_first = 2;
    result.slope_last = 5;
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "linear.h5";
    ArrayFileWriter writer(path);
    write_linear_probe(writer, result);
    writer.commit();
    EXPECT_EQ(read_linear_probe(ArrayFile(path)), result);
}

TEST(LinearProbeFile, RefusesArraysThatDoNotFitEachOther) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "linear.h5";
    ArrayFileWriter writer(path);
    writer.add<int32_t>("/linear/layer", {2}, {0, 1});
    writer.add<double>("/linear/val_loss", {3}, {1, 2, 3});
    writer.commit();
    EXPECT_THROW(read_linear_probe(ArrayFile(path)), UserError);
}

}  // namespace
}  // namespace headroom

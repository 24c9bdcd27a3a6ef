// The masked objective from the data to the weights (semantics, section 27).
#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/config/objective_json.h"
#include "core/cpu/gemm.h"
#include "core/model/objective_data.h"
#include "core/train/evaluation.h"
#include "core/train/predict_memory.h"
#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/support/thread_group.h"

namespace headroom {
namespace {

/// Each row is a random half and the same half again, so that every token stands eight places to
/// the left of its twin or to the right of it. Pure in the number of the row in its step.
class TwinHalves : public DataSource {
  public:
    explicit TwinHalves(int64_t vocab_size) : plain_(vocab_size), info_{vocab_size, "twins", ""} {}

    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const int64_t length = batch.seq_len(), half = length / 2;
        for (int64_t row = 0; row < batch.batch_size(); ++row)
            for (int64_t t = 0; t < length; ++t) {
                const auto words =
                    Philox::block({static_cast<uint32_t>(t % half), static_cast<uint32_t>(step),
                                   static_cast<uint32_t>(micro * batch.batch_size() + row), 0},
                                  3, 4);
                batch.tokens()[static_cast<size_t>(row * length + t)] =
                    static_cast<int32_t>(words[0] % static_cast<uint32_t>(plain_));
            }
    }
    void eval_batch(int64_t index, Batch& batch) const override {
        train_batch(1 << 20, index, batch);
    }

  private:
    int64_t plain_;
    DataInfo info_;
};

constexpr int64_t kPlainTokens = 10;  // of the 11 of small_job, whose last is the mask

Job masked_job(int64_t batch_size, int64_t grad_accum) {
    Job job = small_job(R"({"causal": false})");
    job.train.objective = TrainingObjective::kMasked;
    job.train.mask_rate = 0.3;
    job.train.batch_size = batch_size;
    job.train.grad_accum = grad_accum;
    job.train.eval_batches = 5;
    return job;
}

/// The job's batches of a step, one below the other.
std::vector<Batch> batches_of_step(const Job& job, const DataSource& data, int64_t step) {
    const ObjectiveData masked(job, data);
    std::vector<Batch> batches;
    for (int64_t micro = 0; micro < job.train.grad_accum; ++micro) {
        batches.push_back(Batch::of_tokens(job.train.batch_size, job.train.seq_len));
        masked.train_batch(step, micro, batches.back());
    }
    return batches;
}

/// Sum of -log softmax(logits)[target] over the chosen positions of a batch, by its definition.
LossSum naive_loss(const Job& job, const Weights& weights, const Batch& batch) {
    LossSum sum;
    const auto length = static_cast<size_t>(batch.seq_len());
    const auto vocabulary = static_cast<size_t>(job.model.vocab_size);
    for (size_t begin = 0; begin < batch.tokens().size(); begin += length) {
        const auto row = batch.tokens().subspan(begin, length);
        const std::vector<double> logits =
            forward_logits(job.model, weights, {row.begin(), row.end()});
        for (size_t t = 0; t < length; ++t) {
            const int32_t target = batch.targets()[begin + t];
            if (target == kIgnoredTarget) continue;
            double total = 0;
            for (size_t v = 0; v < vocabulary; ++v) total += std::exp(logits[t * vocabulary + v]);
            sum.nats += std::log(total) - logits[t * vocabulary + static_cast<size_t>(target)];
            ++sum.targets;
        }
    }
    return sum;
}

TEST(MaskedTraining, TheLossIsTheMeanOverTheChosenPositionsOfTheWholeStep) {
    for (const int64_t grad_accum : {1, 3}) {
        const Job job = masked_job(2, grad_accum);
        const TwinHalves data(kPlainTokens);
        const auto device = make_cpu_device();
        TrainingSession session(job, data, *device);
        session.initialize();
        const Weights weights = random_weights(job.model);
        write_weights(session.executor(), session.training_graph().parameters, weights);
        LossSum all;
        double of_means = 0;
        for (const Batch& batch : batches_of_step(job, data, 1)) {
            const LossSum one = naive_loss(job, weights, batch);
            all.nats += one.nats;
            all.targets += one.targets;
            of_means += one.mean() / static_cast<double>(grad_accum);
        }
        EXPECT_NEAR(session.step(1).loss, all.mean(), 1e-12);
        // The numbers of targets differ, so that the mean of the means is another number.
        if (grad_accum > 1) {
            EXPECT_GT(std::abs(of_means - all.mean()), 1e-3);
        }
    }
}

struct MaskedNumbers {
    std::vector<double> losses, norms;
    double val = 0;
};

MaskedNumbers train_masked(const Job& job, const DataSource& data,
                           ProcessGroup& group = solo_group()) {
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device, group);
    session.initialize();
    session.broadcast_state();
    MaskedNumbers trained;
    for (int step = 1; step <= 5; ++step) {
        const StepResult result = session.step(step);
        trained.losses.push_back(result.loss);
        trained.norms.push_back(result.grad_norm);
    }
    trained.val = session.evaluate();
    return trained;
}

void expect_equal_runs(const MaskedNumbers& a, const MaskedNumbers& b) {
    for (size_t i = 0; i < a.losses.size(); ++i) {
        EXPECT_NEAR(a.losses[i], b.losses[i], 1e-12);
        EXPECT_NEAR(a.norms[i], b.norms[i], 1e-12 * std::abs(b.norms[i]));
    }
}

TEST(MaskedTraining, MicroBatchesWeighAsMuchAsTheyHaveTargets) {
    const TwinHalves data(kPlainTokens);
    for (const int64_t span : {1, 2}) {
        Job whole = masked_job(6, 1), parts = masked_job(2, 3);
        whole.train.mask_span = parts.train.mask_span = span;
        expect_equal_runs(train_masked(parts, data), train_masked(whole, data));
    }
}

struct MaskedSharing {
    int processes;
    int64_t batch_size, grad_accum;
};

class MaskedTogether : public testing::TestWithParam<MaskedSharing> {};

TEST_P(MaskedTogether, ProcessesComputeWhatOneWould) {
    const MaskedSharing& sharing = GetParam();
    const Job job = masked_job(sharing.batch_size, sharing.grad_accum);
    const TwinHalves data(kPlainTokens);
    const MaskedNumbers alone = train_masked(job, data);
    std::mutex mutex;
    int finished = 0;
    ThreadGroup::run(sharing.processes, [&](ProcessGroup& group) {
        const MaskedNumbers together = train_masked(job, data, group);
        const std::lock_guard lock(mutex);
        ++finished;
        expect_equal_runs(together, alone);
        EXPECT_NEAR(together.val, alone.val, 1e-12);
    });
    EXPECT_EQ(finished, sharing.processes);
}

/// Rows of each batch, whole micro-batches, and both of them uneven.
INSTANTIATE_TEST_SUITE_P(Every, MaskedTogether,
                         testing::Values(MaskedSharing{2, 4, 1}, MaskedSharing{2, 2, 4},
                                         MaskedSharing{3, 3, 2}));

TEST(MaskedTraining, ValidationIsTheMeanOverAllChosenPositions) {
    const Job job = masked_job(3, 1);
    const TwinHalves data(kPlainTokens);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    const Weights weights = random_weights(job.model);
    write_weights(session.executor(), session.training_graph().parameters, weights);
    const ObjectiveData masked(job, data);
    LossSum all;
    for (int64_t index = 0; index < job.train.eval_batches; ++index) {
        Batch batch = Batch::of_tokens(3, job.train.seq_len);
        masked.eval_batch(index, batch);
        const LossSum one = naive_loss(job, weights, batch);
        all.nats += one.nats;
        all.targets += one.targets;
    }
    EXPECT_NEAR(session.evaluate(), all.mean(), 1e-12);
    Job other = job;
    other.seed = 99;  // another run's, to be compared
    TrainingSession again(other, data, *device);
    again.initialize();
    write_weights(again.executor(), again.training_graph().parameters, weights);
    EXPECT_EQ(again.evaluate(), session.evaluate());
}

TEST(MaskedTraining, AllocatesExactlyThePredictedBytes) {
    for (const int64_t grad_accum : {1, 4}) {
        const Job job = masked_job(2, grad_accum);
        const TwinHalves data(kPlainTokens);
        const auto device = make_cpu_device();
        const TrainingSession session(job, data, *device);
        EXPECT_EQ(session.executor().allocated_bytes(), predict_memory(job).training.total);
    }
}

/// Validation loss after some steps of a small model on the twin halves.
double learned_loss(bool causal, DType precision) {
    Job job = masked_job(32, 1);
    job.precision = precision;
    job.model.causal = causal;
    job.model.n_layer = 2;
    job.model.d_model = 32;
    job.model.d_head = 8;
    job.model.d_ff = 64;
    job.model.block_size = job.train.seq_len = 16;
    job.model.attn_scale = 1 / std::sqrt(8.0);
    job.model.wiring = build_wiring({}, 2, 4, 4);
    job.train.mask_rate = 0.15;
    job.train.steps = 600;
    job.train.warmup_steps = 30;
    job.train.lr = 5e-3;
    job.train.min_lr = 5e-4;
    job.train.eval_batches = 8;
    const TwinHalves data(kPlainTokens);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    for (int step = 1; step <= job.train.steps; ++step) session.step(step);
    return session.evaluate();
}

class MaskedTrainingIn : public testing::TestWithParam<DType> {};

/// A token of the first half is known from the right alone: without it half of the masked tokens
/// are guessed, 0.5 ln 10 = 1.15 nats. With both sides what is missing is a masked or changed twin.
TEST_P(MaskedTrainingIn, AnEncoderLearnsWhatNeedsBothSides) {
    EXPECT_LT(learned_loss(false, GetParam()), 0.75);
    EXPECT_GT(learned_loss(true, GetParam()), 1.1);
}

INSTANTIATE_TEST_SUITE_P(Precisions, MaskedTrainingIn, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& precision) {
                             return std::string(name_of(precision.param));
                         });

TEST(ObjectiveData, TheVocabularyGrowsByTheMask) {
    const TwinHalves data(kPlainTokens);
    Job job = masked_job(2, 1);
    job.model.vocab_size = 0;
    resolve_vocab_size(job, data);
    EXPECT_EQ(job.model.vocab_size, kPlainTokens + 1);
    job.model.vocab_size = kPlainTokens;  // no room for the mask
    try {
        resolve_vocab_size(job, data);
        FAIL() << "a model without a mask token";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(),
                     "model.vocab_size is 10, but the data have 10 different tokens and the mask "
                     "is one more; set model.vocab_size to 11 or more");
    }
    job.model.vocab_size = kPlainTokens + 54;  // padded: the mask is the last one
    Batch batch = Batch::of_tokens(4, 20);
    ObjectiveData(job, data).train_batch(1, 0, batch);
    EXPECT_EQ(*std::max_element(batch.tokens().begin(), batch.tokens().end()), kPlainTokens + 53);
}

TEST(ObjectiveData, TheNextTokenObjectiveLeavesTheDataAlone) {
    const TwinHalves data(kPlainTokens);
    Job job = masked_job(2, 3);
    job.train.objective = TrainingObjective::kNextToken;
    const ObjectiveData batches(job, data);
    Batch a = Batch::of_tokens(2, 6), b = a;
    data.train_batch(1, 2, a);
    batches.train_batch(1, 2, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(batches.targets_of_step(1, job.train), 0);
}

TEST(ObjectiveJson, IsReadBackAsItWas) {
    TrainConfig train;
    train.objective = TrainingObjective::kMasked;
    train.mask_rate = 0.4;
    train.mask_span = 3;
    TrainConfig read;
    read.lr = 0.5;
    read_objective(objective_json(train), "a.safetensors", read);
    EXPECT_EQ(read.lr, 0.5);
    read.lr = train.lr;
    EXPECT_EQ(read, train);
}

TEST(ObjectiveJson, BadTextIsRefusedWithItsPlace) {
    TrainConfig train;
    const auto refusal = [&](const std::string& text) -> std::string {
        try {
            read_objective(text, "a.safetensors", train);
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("[]").find("a.safetensors, objective is no JSON object"), std::string::npos);
    EXPECT_NE(refusal(R"({"mask_rate": 2})").find("train.mask_rate = 2 is out of range"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"objective": "maskd"})").find("did you mean \"masked\"?"),
              std::string::npos);
    EXPECT_NE(refusal("{").find("a.safetensors, objective"), std::string::npos);
    EXPECT_EQ(train, TrainConfig{});
}

}  // namespace
}  // namespace headroom

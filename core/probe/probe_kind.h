#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"
#include "core/config/probe_schema.h"
#include "core/data/batch.h"
#include "core/data/data_source.h"
#include "core/log/array_file.h"
#include "core/log/run_series.h"
#include "core/probe/number_array.h"
#include "core/probe/probe_file.h"
#include "core/probe/probe_pass.h"
#include "core/probe/task_scorer.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// What a probe measures: weights, of a checkpoint or of a model in training, on tokens. All that
/// it refers to outlives the measuring and what it found.
struct ProbeTask {
    const WeightSource& weights;
    const ProbeTokens& tokens;  ///< every sequence; of images places (image_places)
    int64_t pass_rows = 1;      ///< of one forward pass, a divisor of tokens.batch_size
    DType precision = DType::kF32;
    const ProbeValues& options;  ///< all of the kind
    Device& device;
    const Job& job;                         ///< of the run, or one that evaluates the checkpoint
    const DataSource* data = nullptr;       ///< the job's; null where tokens are given
    const Batch* images = nullptr;          ///< of a model of images: tokens.batch_size of them
    std::filesystem::path out = {};         ///< the file that will hold what is found
    std::function<bool()> keep_going = {};  ///< asked now and then; false: give up
    std::function<void(double share)> progress = {};   ///< told now and then
    std::function<std::string(int32_t)> token_text{};  ///< what a token reads as
    /// Weights by the name that a user gives: a checkpoint or a run's folder.
    std::function<std::shared_ptr<const WeightSource>(const std::string&)> open_weights = {};

    /// A model's weights as those of a model of another wiring, the way that train.init_convert
    /// names (core/train/initial_weights.h). UserError where they cannot become that.
    std::function<std::shared_ptr<const WeightSource>(std::shared_ptr<const WeightSource> weights,
                                                      const ModelConfig& wanted,
                                                      const std::string& way)>
        convert = {};

    TaskScorer score_tasks = {};

    /// EnvironmentError once keep_going says so.
    void check_going() const;
    ProbeShape shape() const { return {pass_rows, tokens.seq_len, precision}; }
    int64_t passes() const { return tokens.batch_size / pass_rows; }
    /// All sequences as the model was trained to be asked: with the targets that a loss is of, and
    /// for a masked objective with masks.
    Batch asked() const;
};

/// What was found, and how it is told.
struct ProbeFindings {
    std::function<void(ArrayFileWriter&)> write;          ///< the kind's group of the file
    std::function<std::string()> table;                   ///< lines for a person; file is written
    std::function<void(nlohmann::ordered_json&)> report;  ///< adds what --json prints
};

/// A number of a probe's file that is a series of the run's log, under /scalars.
struct ProbeScalar {
    ScalarInfo info;
    std::function<double(const ArrayFile&)> read;  ///< UserError where the file has none
};

/// One kind of probe: a file in core/probe/kinds/ and a line in probe_kinds().
struct ProbeKind {
    ProbeSchema schema;
    /// What its forward pass keeps; null where it runs none of its own.
    ProbeTaps (*taps)(const ModelConfig&);
    /// Throws what goes wrong.
    ProbeFindings (*measure)(const ProbeTask&);
    /// What it allocates on a CPU with so many threads, beside the training; null: what a pass
    /// with its taps does.
    int64_t (*bytes)(const Job&, const ProbeConfig&, int threads) = nullptr;
    /// What a run's log keeps of each of its files; null: nothing.
    std::vector<ProbeScalar> (*scalars)(const ProbeConfig&) = nullptr;
};

/// All of them, in the order of the help.
const std::vector<ProbeKind>& probe_kinds();
/// REQUIRES: the name of one of them, or its earlier word.
const ProbeKind& find_probe_kind(const std::string& name);

/// Tokens of a probe in training: sequences and their length.
ProbeShape live_probe_shape(const Job& job, const ProbeConfig& config);
int64_t probe_bytes(const Job& job, const ProbeConfig& config, int threads);

/// Runs all sequences, `pass_rows` at a time, with the kind's taps: `use` sees each pass and its
/// tokens.
void run_passes(const ProbeTask& task, const ProbeTaps& taps,
                const std::function<void(const ProbePass&, std::span<const int32_t>)>& use);
/// The same of task.asked(): `use` sees each pass and its targets.
void run_asked_passes(const ProbeTask& task, const ProbeTaps& taps,
                      const std::function<void(const ProbePass&, std::span<const int32_t>)>& use);

/// Nested lists, outermost dimension first; null for what is not finite.
nlohmann::ordered_json to_json(const NumberArray& array);
nlohmann::ordered_json to_json(const NumberArrays& arrays);

}  // namespace headroom

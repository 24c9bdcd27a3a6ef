#include "core/probe/training_probes.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/probe/probe_kind.h"
#include "core/study/run_folder.h"
#include "core/weights/live_weights.h"

namespace headroom {
namespace {

bool is_due(const ProbeConfig& probe, int64_t step, int64_t steps) {
    return step == steps || (probe.every > 0 && step % probe.every == 0);
}

/// What a probe looks at: the first rows of the validation data, the same in every run of a study,
/// at every step.
struct FixedRows {
    ProbeTokens tokens;
    std::optional<Batch> images;
};

FixedRows fixed_rows(const Job& job, const ProbeConfig& config, const DataSource& data,
                     const std::function<std::string(int32_t)>& text) {
    const ProbeShape shape = live_probe_shape(job, config);
    if (job.model.reads_images()) {
        FixedRows rows{
            image_places(job.model, shape.batch_size),
            Batch::of_images(shape.batch_size, job.model.n_patch(), job.model.patch_width())};
        data.eval_batch(0, *rows.images);
        return rows;
    }
    Batch batch = Batch::of_tokens(shape.batch_size, shape.seq_len);
    data.eval_batch(0, batch);
    ProbeTokens tokens{shape.batch_size, shape.seq_len, {}, {}};
    tokens.ids.assign(batch.tokens().begin(), batch.tokens().end());
    if (text)
        for (const int32_t id : tokens.ids) tokens.pieces.push_back(text(id));
    return {std::move(tokens), std::nullopt};
}

}  // namespace

void run_due_probes(const Job& job, int64_t step, const std::filesystem::path& run_dir,
                    const DataSource& data, const Executor& executor,
                    const std::vector<GraphParameter>& parameters, Device& device,
                    const TrainingProbeHooks& hooks) {
    const std::filesystem::path folder = RunFolder{run_dir}.probes();
    const LiveWeights weights(executor, parameters, job.model);
    for (const ProbeConfig& config : job.probes) {
        if (!is_due(config, step, job.train.steps)) continue;
        const std::filesystem::path path = folder / probe_file_name(config.kind, step);
        std::error_code ignored;
        if (std::filesystem::exists(path, ignored)) continue;
        try {
            const ProbeValues values = values_of(config);
            const FixedRows rows = fixed_rows(job, config, data, hooks.token_text);
            const ProbeTokens& tokens = rows.tokens;
            make_probes_folder({run_dir});
            ArrayFileWriter file(path);
            write_probe_header(file, {find_probe_kind(config.kind).schema.file_word(), "", job.name,
                                      step, job.data.train + ", " + job.data.val, job.model});
            write_probe_tokens(file, tokens);
            const ProbeTask task{.weights = weights,
                                 .tokens = tokens,
                                 .pass_rows = tokens.batch_size,
                                 .precision = job.precision,
                                 .options = values,
                                 .device = device,
                                 .job = job,
                                 .data = &data,
                                 .images = rows.images ? &*rows.images : nullptr,
                                 .out = path,
                                 .keep_going = hooks.keep_going,
                                 .token_text = hooks.token_text,
                                 .convert = hooks.convert};
            find_probe_kind(config.kind).measure(task).write(file);
            file.commit();
        } catch (const std::exception& error) {
            if (hooks.on_failure)
                hooks.on_failure(
                    fmt::format("probe {} of step {}: {}", config.kind, step, error.what()));
        }
    }
}

int64_t training_probe_bytes(const Job& job, int threads) {
    int64_t largest = 0;
    for (const ProbeConfig& config : job.probes)
        largest = std::max(largest, probe_bytes(job, config, threads));
    return largest;
}

}  // namespace headroom

#include "core/probe/training_probes.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/probe/probe_kind.h"
#include "core/probe/probe_list.h"
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

/// Of what a probing goes on in.
struct Place {
    const Job& job;
    int64_t step;
    const DataSource& data;
    const LiveWeights& weights;
    Device& device;
    const TrainingProbeHooks& hooks;
};

void write_probe(const ProbeConfig& config, const std::filesystem::path& path, const Place& place) {
    const ProbeValues values = values_of(config);
    const FixedRows rows = fixed_rows(place.job, config, place.data, place.hooks.token_text);
    const ProbeTokens& tokens = rows.tokens;
    ArrayFileWriter file(path, kProbeFiles);
    const ProbeSchema& schema = find_probe_kind(config.kind).schema;
    const DataConfig& data = place.job.data;
    const bool trains = schema.tokens == ProbeTokenUse::kTrainingData;
    write_probe_header(file, {schema.file_word(), "", place.job.name, place.step,
                              trains ? data.both() : data.evaluated(), place.job.model});
    write_probe_tokens(file, tokens);
    const ProbeTask task{.weights = place.weights,
                         .tokens = tokens,
                         .pass_rows = tokens.batch_size,
                         .precision = place.job.precision,
                         .options = values,
                         .device = place.device,
                         .job = place.job,
                         .data = &place.data,
                         .images = rows.images ? &*rows.images : nullptr,
                         .out = path,
                         .keep_going = place.hooks.keep_going,
                         .token_text = place.hooks.token_text,
                         .convert = place.hooks.convert,
                         .score_tasks = place.hooks.score_tasks};
    find_probe_kind(config.kind).measure(task).write(file);
    file.commit();
}

/// From the file, so that a resumed run says what the killed one measured.
void tell_scalars(const ProbeConfig& config, const std::filesystem::path& path,
                  const TrainingProbeHooks& hooks) {
    const ProbeKind& kind = find_probe_kind(config.kind);
    if (kind.scalars == nullptr || !hooks.on_scalar) return;
    const ArrayFile file(path);
    for (const ProbeScalar& scalar : kind.scalars(config))
        hooks.on_scalar(scalar.info.name, scalar.read(file));
}

}  // namespace

void run_due_probes(const Job& job, int64_t step, const std::filesystem::path& run_dir,
                    const DataSource& data, const Executor& executor,
                    const std::vector<GraphParameter>& parameters, Device& device,
                    const TrainingProbeHooks& hooks) {
    const std::filesystem::path folder = RunFolder{run_dir}.probes();
    const LiveWeights weights(executor, parameters, job.model);
    const Place place{job, step, data, weights, device, hooks};
    for (const ProbeConfig& config : job.probes) {
        if (!is_due(config, step, job.train.steps)) continue;
        const std::filesystem::path path = folder / probe_file_name(config.kind, step);
        try {
            std::error_code ignored;
            if (!std::filesystem::exists(path, ignored)) {
                make_probes_folder(run_dir);
                write_probe(config, path, place);
            }
            tell_scalars(config, path, hooks);
        } catch (const std::exception& error) {
            if (hooks.on_failure)
                hooks.on_failure(
                    fmt::format("probe {} of step {}: {}", config.kind, step, error.what()));
        }
    }
}

std::vector<ScalarInfo> probe_scalars(const Job& job) {
    std::vector<ScalarInfo> scalars;
    for (const ProbeConfig& config : job.probes) {
        const ProbeKind& kind = find_probe_kind(config.kind);
        if (kind.scalars == nullptr) continue;
        for (ProbeScalar& scalar : kind.scalars(config)) scalars.push_back(std::move(scalar.info));
    }
    return scalars;
}

int64_t training_probe_bytes(const Job& job, int threads) {
    int64_t largest = 0;
    for (const ProbeConfig& config : job.probes)
        largest = std::max(largest, probe_bytes(job, config, threads));
    return largest;
}

}  // namespace headroom

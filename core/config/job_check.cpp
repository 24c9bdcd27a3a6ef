#include "core/config/job_check.h"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/config/enum_names.h"
#include "core/data/data_spec.h"
#include "core/data/tokenizer_spec.h"

namespace headroom {
namespace {

/// Pictures are what a model of images reads. Data that nobody named may be left open: they are
/// asked for when they are opened.
void check_input(const Job& job) {
    const bool images = job.model.reads_images();
    if (job.train.tells_classes() != images)
        throw KeyError(
            UserError(fmt::format("train.objective = {} does not go with model.input = "
                                  "{}",
                                  spelling(job.train.objective), spelling(job.model.input)),
                      images ? "leave train.objective out" : "classes are those of images"),
            {"train.objective", "model.input"});
    const auto check_data = [&](const char* key, const DataSpec& spec) {
        const bool open = spec.kind == DataSpec::Kind::kSplit || spec.text == DataConfig{}.train;
        if (open || (spec.kind == DataSpec::Kind::kImages) == images) return;
        throw KeyError(UserError(fmt::format("{} = {} is none for model.input = {}", key,
                                             shown(spec.text), spelling(job.model.input)),
                                 images ? "write images:FOLDER" : "set model.input = images"),
                       {key, "model.input"});
    };
    about_key("data.train", [&] { check_data("data.train", parse_training_data(job.data.train)); });
    about_key("data.val", [&] { check_data("data.val", parse_validation_data(job.data.val)); });
    if (images && job.train.seq_len != job.model.block_size)
        throw KeyError(UserError(fmt::format("train.seq_len = {}, but an image has {} positions",
                                             job.train.seq_len, job.model.block_size),
                                 "leave train.seq_len out"),
                       {"train.seq_len", "model.image_size", "model.patch_size", "model.pooling"});
}

void check_objective(const Job& job) {
    if (!job.train.is_masked()) return;
    if (job.model.causal)
        throw KeyError(
            UserError("train.objective = masked is for encoders, but model.causal = true",
                      "set model.causal = false, so that a masked token is seen from both sides"),
            {"train.objective", "model.causal"});
    if (job.train.mask_span > job.train.seq_len)
        throw KeyError(UserError(fmt::format("train.mask_span = {} is longer than train.seq_len = "
                                             "{}",
                                             job.train.mask_span, job.train.seq_len),
                                 "mask shorter spans"),
                       {"train.mask_span", "train.seq_len"});
}

}  // namespace

void check_job(const Job& job) {
    const TrainConfig& train = job.train;
    check_input(job);
    check_objective(job);
    if (train.seq_len > job.model.block_size)
        throw KeyError(
            UserError(fmt::format("train.seq_len = {} is longer than model.block_size = {}",
                                  train.seq_len, job.model.block_size),
                      "shorten the one or raise the other"),
            {"train.seq_len", "model.block_size"});
    for (size_t i = 0; i < job.probes.size(); ++i)
        if (job.probes[i].seq_len > job.model.block_size)
            throw KeyError(
                UserError(
                    fmt::format("probes[{}].seq_len = {} is longer than model.block_size = {}", i,
                                job.probes[i].seq_len, job.model.block_size),
                    "shorten the one or raise the other"),
                {"model.block_size", "probes"});
    for (const ProbeConfig& probe : job.probes) {
        const ProbeSchema* schema = find_probe_schema(probe.kind);
        if (!job.model.reads_images() || schema == nullptr || schema->of_images) continue;
        throw KeyError(
            UserError(fmt::format("probes: {} reads texts, but model.input = images", probe.kind),
                      "leave it out"),
            {"probes", "model.input"});
    }
    if (train.min_lr > train.lr)
        throw KeyError(UserError(fmt::format("train.min_lr = {} is above train.lr = {}",
                                             train.min_lr, train.lr),
                                 "the cosine falls from lr to min_lr"),
                       {"train.min_lr", "train.lr"});
    if (train.warmup_steps > train.cosine_steps()) {
        const std::string length = train.decay_steps > 0 ? "train.decay_steps" : "train.steps";
        throw KeyError(UserError(fmt::format("train.warmup_steps = {} is more than {} = {}",
                                             train.warmup_steps, length, train.cosine_steps()),
                                 "warm up for fewer steps"),
                       {"train.warmup_steps", length});
    }
    if (train.init_convert == "freeze_norms" && job.model.reads_images())
        throw KeyError(UserError("train.init_convert = freeze_norms measures norms on tokens, but "
                                 "model.input = images",
                                 "start from a model of tokens, or convert otherwise"),
                       {"train.init_convert", "model.input"});
    if (train.init_convert != "none" && !train.starts_from_file())
        throw KeyError(UserError(fmt::format("train.init_convert = {} has nothing to convert",
                                             train.init_convert),
                                 "name a checkpoint in train.init_from"),
                       {"train.init_convert", "train.init_from"});
    if (job.device == "cuda" && job.precision == DType::kF64)
        throw KeyError(UserError("precision = float64 is for the CPU", "set device = cpu or auto"),
                       {"precision", "device"});
    about_key("data.tokenizer", [&] { (void)parse_tokenizer_spec(job.data.tokenizer); });
}

}  // namespace headroom

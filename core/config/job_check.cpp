#include "core/config/job_check.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/base/nearest.h"
#include "core/config/enum_names.h"

namespace headroom {
namespace {

std::string prefix_of(std::string_view spec) {
    return std::string(spec.substr(0, spec.find(':')));
}

void check_spec(std::string_view path, const std::string& spec, bool may_split) {
    std::vector<std::string> kinds{"text", "tokens", "task", "images"};
    if (may_split) kinds.push_back("split");
    const std::string kind = prefix_of(spec);
    if (kind == "hdf5")
        throw UserError(
            fmt::format("{} = {}: {} data are not in this version yet", path, shown(spec), kind),
            "use text:, tokens:, task: or images:");
    bool known = false;
    for (const std::string& candidate : kinds) known |= kind == candidate;
    if (!known)
        throw UserError(fmt::format("{} = {} is not a data spec of the form KIND:VALUE{}", path,
                                    shown(spec), suggestion(kind, kinds)));
    if (spec.size() <= kind.size() + 1)
        throw UserError(fmt::format("{} = {} names nothing", path, shown(spec)),
                        fmt::format("write {}:VALUE", kind));
}

void check_split(const std::string& spec) {
    if (prefix_of(spec) != "split") return;
    const std::string_view text = std::string_view(spec).substr(6);
    double fraction = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), fraction);
    const bool whole = status == std::errc() && end == text.data() + text.size();
    if (!whole || !(fraction > 0 && fraction < 1))
        throw UserError(fmt::format("data.val = {} does not split the data", shown(spec)),
                        "write split:F with a fraction F between 0 and 1, such as split:0.1");
}

void check_tokenizer(const std::string& spec) {
    const std::vector<std::string> kinds{"byte", "char", "gpt2", "json", "sp"};
    const std::string kind = prefix_of(spec);
    const bool needs_path = kind == "gpt2" || kind == "json" || kind == "sp";
    const bool known = needs_path || spec == "byte" || spec == "char";
    if (!known)
        throw UserError(fmt::format("data.tokenizer = {} is not known{}", shown(spec),
                                    suggestion(kind, kinds)));
    if (needs_path && spec.size() <= kind.size() + 1)
        throw UserError(fmt::format("data.tokenizer = {} names no path", shown(spec)),
                        kind == "gpt2" ? "write gpt2:FOLDER" : fmt::format("write {}:FILE", kind));
}

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
    const auto check_data = [&](const char* key, const std::string& spec) {
        const std::string kind = prefix_of(spec);
        const bool open = kind == "split" || spec == DataConfig{}.train;
        if (open || (kind == "images") == images) return;
        throw KeyError(UserError(fmt::format("{} = {} is none for model.input = {}", key,
                                             shown(spec), spelling(job.model.input)),
                                 images ? "write images:FOLDER" : "set model.input = images"),
                       {key, "model.input"});
    };
    check_data("data.train", job.data.train);
    check_data("data.val", job.data.val);
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
    about_key("data.train", [&] { check_spec("data.train", job.data.train, false); });
    about_key("data.val", [&] {
        check_spec("data.val", job.data.val, true);
        check_split(job.data.val);
    });
    about_key("data.tokenizer", [&] { check_tokenizer(job.data.tokenizer); });
}

}  // namespace headroom

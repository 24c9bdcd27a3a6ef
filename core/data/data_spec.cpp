#include "core/data/data_spec.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/data/data_paths.h"

namespace headroom {
namespace {

constexpr std::array kDataKinds{
    DataSpecKind{.kind = DataSpec::Kind::kText,
                 .word = "text",
                 .form = "text:FILE_OR_FOLDER",
                 .summary = "plain text; of a folder all .txt, .text and .md files",
                 .names_path = true,
                 .in_mixtures = true},
    DataSpecKind{.kind = DataSpec::Kind::kTokens,
                 .word = "tokens",
                 .form = "tokens:FILE",
                 .summary = "token ids: nanoGPT .bin (uint16) or llm.c .bin; ?vocab=N declares how "
                            "many",
                 .names_path = true,
                 .has_options = true,
                 .in_mixtures = true,
                 .holds_ids = true},
    DataSpecKind{.kind = DataSpec::Kind::kHdf5,
                 .word = "hdf5",
                 .form = "hdf5:FILE",
                 .summary = "token ids: an array of integers of an HDF5 file; ?dataset=NAME says "
                            "which, ?vocab=N declares how many",
                 .names_path = true,
                 .has_options = true,
                 .in_mixtures = true,
                 .holds_ids = true},
    DataSpecKind{.kind = DataSpec::Kind::kTask,
                 .word = "task",
                 .form = "task:NAME",
                 .summary = "a built-in synthetic task; options as ?key=value&key=value",
                 .has_options = true,
                 .in_mixtures = true},
    DataSpecKind{.kind = DataSpec::Kind::kImages,
                 .word = "images",
                 .form = "images:FOLDER",
                 .summary = "CIFAR-10's or CIFAR-100's binary files (?part=train or test), or a "
                            "subfolder of PNG or JPEG pictures for each class",
                 .names_path = true,
                 .has_options = true},
    DataSpecKind{.kind = DataSpec::Kind::kMix,
                 .word = "mix",
                 .form = "mix:W SPEC; W SPEC; …",
                 .summary = "rows of several of these by weight: mix:0.7 tokens:a.bin; 0.3 "
                            "tokens:b.bin"},
    DataSpecKind{.kind = DataSpec::Kind::kSplit,
                 .word = "split",
                 .form = "split:F",
                 .summary = "for data.val only: the last fraction F of data.train"},
};

const DataSpecKind& parse_kind(std::string_view word, std::string_view whole,
                               std::string_view key) {
    std::vector<std::string> known;
    for (const DataSpecKind& kind : kDataKinds) {
        if (word == kind.word) return kind;
        known.emplace_back(kind.word);
    }
    throw UserError(fmt::format("{} = {} is not a data spec{}", key, shown(std::string(whole)),
                                suggestion(std::string(word), known)),
                    "write one of " + training_data_forms() + ", or (data.val) split:F");
}

void parse_options(std::string_view text, DataSpec& spec, std::string_view key) {
    while (!text.empty()) {
        const size_t end = text.find('&');
        const std::string_view item = text.substr(0, end);
        text = end == std::string_view::npos ? "" : text.substr(end + 1);
        const size_t equals = item.find('=');
        if (equals == 0 || equals == std::string_view::npos)
            throw UserError(
                fmt::format("{}: option \"{}\" of \"{}\" has no value", key, item, spec.text),
                "write options as ?key=value&key=value");
        const std::string name(item.substr(0, equals));
        if (!spec.options.emplace(name, item.substr(equals + 1)).second)
            throw UserError(
                fmt::format("{}: option \"{}\" of \"{}\" is given twice", key, name, spec.text),
                "keep one of them");
    }
}

}  // namespace

std::span<const DataSpecKind> data_spec_kinds() {
    return kDataKinds;
}

std::string training_data_forms() {
    std::string forms;
    for (const DataSpecKind& kind : kDataKinds)
        if (kind.kind != DataSpec::Kind::kSplit)
            forms += fmt::format("{}{}", forms.empty() ? "" : ", ", kind.form);
    return forms;
}

const DataSpecKind& info_of(DataSpec::Kind kind) {
    return *std::find_if(kDataKinds.begin(), kDataKinds.end(),
                         [&](const DataSpecKind& one) { return one.kind == kind; });
}

std::optional<DataSpec::Kind> data_kind_of(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    for (const DataSpecKind& info : kDataKinds)
        if (text.substr(0, colon) == info.word) return info.kind;
    return std::nullopt;
}

std::string data_spec_text(DataSpec::Kind kind, std::string_view name) {
    return fmt::format("{}:{}", info_of(kind).word, name);
}

DataSpec parse_data_spec(std::string_view text, std::string_view key) {
    const size_t colon = text.find(':');
    const DataSpecKind& info = parse_kind(text.substr(0, colon), text, key);
    DataSpec spec;
    spec.kind = info.kind;
    spec.text = text;
    if (colon != std::string_view::npos) spec.name = text.substr(colon + 1);
    if (const size_t mark = spec.name.rfind('?'); info.has_options && mark != std::string::npos) {
        const std::string options = spec.name.substr(mark + 1);
        spec.name.resize(mark);
        parse_options(options, spec, key);
    }
    if (spec.name.empty())
        throw UserError(fmt::format("{} = {} names nothing", key, shown(spec.text)),
                        fmt::format("write {}", info.form));
    return spec;
}

DataSpec parse_training_data(std::string_view text) {
    constexpr const char* kKey = "data.train";
    DataSpec spec = parse_data_spec(text, kKey);
    if (spec.kind == DataSpec::Kind::kSplit)
        throw UserError(fmt::format("{} = {}: split: is only for data.val", kKey, shown(spec.text)),
                        "name the data that are split");
    if (spec.kind == DataSpec::Kind::kMix) (void)mixed_specs(spec, kKey);
    return spec;
}

DataSpec parse_validation_data(std::string_view text) {
    constexpr const char* kKey = "data.val";
    DataSpec spec = parse_data_spec(text, kKey);
    if (spec.kind == DataSpec::Kind::kSplit) (void)split_fraction(spec);
    if (spec.kind == DataSpec::Kind::kMix) (void)mixed_specs(spec, kKey);
    return spec;
}

std::vector<WeightedSpec> mixed_specs(const DataSpec& mixture, std::string_view key) {
    const char* const remedy = "write for example mix:0.7 tokens:a.bin; 0.3 tokens:b.bin";
    std::vector<WeightedSpec> parts;
    for (const MixturePart& part : split_mixture(mixture.name)) {
        double weight = 0;
        const char* end = part.weight.data() + part.weight.size();
        const auto [rest, error] = std::from_chars(part.weight.data(), end, weight);
        if (error != std::errc() || rest != end || !(weight > 0 && weight < 1e9))
            throw UserError(fmt::format("{}: \"{}\" of \"{}\" does not begin with a weight above 0",
                                        key, part.weight + " " + part.spec, mixture.text),
                            remedy);
        parts.push_back({weight, parse_data_spec(part.spec, key)});
        if (!info_of(parts.back().spec.kind).in_mixtures)
            throw UserError(fmt::format("{}: \"{}\" cannot be mixed", key, parts.back().spec.text),
                            remedy);
    }
    return parts;
}

double split_fraction(const DataSpec& spec) {
    double fraction = 0;
    const char* end = spec.name.data() + spec.name.size();
    const auto [rest, error] = std::from_chars(spec.name.data(), end, fraction);
    if (error != std::errc() || rest != end || !(fraction > 0 && fraction < 1))
        throw UserError(fmt::format("data.val = {} does not split the data", shown(spec.text)),
                        "write split:F with a fraction F between 0 and 1, such as split:0.1");
    return fraction;
}

}  // namespace headroom

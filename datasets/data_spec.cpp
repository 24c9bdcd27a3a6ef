#include "datasets/data_spec.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/data/data_paths.h"

namespace headroom {
namespace {

constexpr std::array<std::pair<std::string_view, DataSpec::Kind>, 6> kKinds{{
    {"text", DataSpec::Kind::kText},
    {"tokens", DataSpec::Kind::kTokens},
    {"task", DataSpec::Kind::kTask},
    {"images", DataSpec::Kind::kImages},
    {"mix", DataSpec::Kind::kMix},
    {"split", DataSpec::Kind::kSplit},
}};

DataSpec::Kind parse_kind(std::string_view word, std::string_view whole, std::string_view key) {
    std::vector<std::string> known;
    for (const auto& [name, kind] : kKinds) {
        if (word == name) return kind;
        known.emplace_back(name);
    }
    throw UserError(
        fmt::format("{}: \"{}\" is not a data spec{}", key, whole, suggestion(word, known)),
        "write text:FILE_OR_FOLDER, tokens:FILE, task:NAME, images:FOLDER, mix:… or (for val) "
        "split:0.1");
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

std::vector<SpecInfo> list_data_specs() {
    return {
        {"text:FILE_OR_FOLDER", "plain text; of a folder all .txt, .text and .md files"},
        {"tokens:FILE",
         "token ids: nanoGPT .bin (uint16) or llm.c .bin; ?vocab=N declares how many"},
        {"task:NAME", "a built-in synthetic task; options as ?key=value&key=value"},
        {"images:FOLDER",
         "CIFAR-10's or CIFAR-100's binary files (?part=train or test), or a subfolder of PNG or "
         "JPEG pictures for each class"},
        {"mix:W SPEC; W SPEC; …",
         "rows of several of these by weight: mix:0.7 tokens:a.bin; 0.3 tokens:b.bin"},
        {"split:F", "for data.val only: the last fraction F of data.train"},
    };
}

DataSpec parse_data_spec(std::string_view text, std::string_view key) {
    const size_t colon = text.find(':');
    DataSpec spec;
    spec.text = text;
    spec.kind = parse_kind(text.substr(0, colon), text, key);
    if (colon != std::string_view::npos) spec.name = text.substr(colon + 1);
    const bool has_options = spec.kind == DataSpec::Kind::kTask ||
                             spec.kind == DataSpec::Kind::kTokens ||
                             spec.kind == DataSpec::Kind::kImages;
    if (const size_t mark = spec.name.rfind('?'); has_options && mark != std::string::npos) {
        const std::string options = spec.name.substr(mark + 1);
        spec.name.resize(mark);
        parse_options(options, spec, key);
    }
    if (spec.name.empty())
        throw UserError(fmt::format("{}: \"{}\" names nothing after the colon", key, text),
                        "write for example text:input.txt, task:grammar or split:0.1");
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
        const DataSpec::Kind kind = parts.back().spec.kind;
        if (kind == DataSpec::Kind::kMix || kind == DataSpec::Kind::kSplit ||
            kind == DataSpec::Kind::kImages)
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
        throw UserError(
            fmt::format("data.val: \"{}\" is not a fraction between 0 and 1", spec.text),
            "write for example split:0.1 for the last tenth");
    return fraction;
}

}  // namespace headroom

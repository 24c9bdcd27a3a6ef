#include "core/probe/probe_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/build_info.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/utf8.h"
#include "core/config/job_json.h"
#include "core/config/probe_schema.h"
#include "core/probe/probe_datasets.h"

namespace headroom {
namespace {

using nlohmann::json;

const std::string& probe_schema() {
    static const std::string schema = std::string(kProbeFiles) + "1";
    return schema;
}

/// Bytes of one token's text in the file; longer ones are cut at a character.
constexpr size_t kPieceBytes = 48;

std::string cut_piece(const std::string& piece) {
    return piece.substr(0, cut_between_characters(piece, kPieceBytes));
}

}  // namespace

void write_probe_header(ArrayFileWriter& file, const ProbeHeader& header) {
    file.attribute("schema", probe_schema());
    file.attribute("program", program_version());
    file.attribute("kind", header.kind);
    file.attribute("checkpoint", header.checkpoint);
    file.attribute("run", header.run);
    file.attribute("step", std::to_string(header.step));
    file.attribute("text", header.text);
    file.attribute("config", to_json(header.model).dump());
}

ProbeHeader read_probe_header(const ArrayFile& file) {
    const std::string name = file.path().string(), schema = file.attribute("schema");
    if (schema != probe_schema())
        throw UserError(
            fmt::format("{} is no probe file (its schema is \"{}\")", name, schema.substr(0, 40)),
            "choose a file that headroom probe wrote");
    ProbeHeader header;
    header.kind = file.attribute("kind");
    header.checkpoint = file.attribute("checkpoint");
    header.run = file.attribute("run");
    header.text = file.attribute("text");
    const std::string step = file.attribute("step");
    const json number = parse_json_or_null(step);
    if (!number.is_number_integer())
        throw UserError(fmt::format("{}: the step \"{}\" is no number", name, step.substr(0, 40)),
                        "make the file again with headroom probe");
    header.step = number.get<int64_t>();
    const json config = parse_json_or_null(file.attribute("config"));
    if (!config.is_object())
        throw UserError(fmt::format("{}: its configuration is not JSON", name),
                        "make the file again with headroom probe");
    header.model = parse_model_config(config, name);
    return header;
}

ProbeTokens image_places(const ModelConfig& model, int64_t images) {
    ProbeTokens places{images, model.n_position(), {}, {}};
    const int64_t columns = model.image_size / model.patch_size;
    const int64_t first = model.has_class_token() ? 1 : 0;
    for (int64_t image = 0; image < images; ++image)
        for (int64_t t = 0; t < places.seq_len; ++t) {
            places.ids.push_back(static_cast<int32_t>(t));
            places.pieces.push_back(
                t < first ? "cls"
                          : fmt::format("r{}c{}", (t - first) / columns, (t - first) % columns));
        }
    return places;
}

void write_probe_tokens(ArrayFileWriter& file, const ProbeTokens& tokens) {
    const Shape shape{tokens.batch_size, tokens.seq_len};
    file.add(kProbeTokenIds, shape, tokens.ids);
    if (tokens.pieces.empty()) return;
    json pieces = json::array();
    for (const std::string& piece : tokens.pieces) pieces.push_back(cut_piece(piece));
    // As JSON, since fixed-length texts lose trailing zeros and variable-length ones plainness.
    file.attribute("/tokens", "pieces",
                   pieces.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string describe_tokens(const std::string& text, int64_t batch_size, int64_t seq_len) {
    return fmt::format("{} ({} × {})", text, batch_size, seq_len);
}

std::string describe_tokens(const ArrayFile& file) {
    std::string text = read_probe_header(file).text;
    if (!file.has(kProbeTokenIds)) return text;
    const Shape shape = file.type(kProbeTokenIds).shape;
    return shape.size() == 2 ? describe_tokens(text, shape[0], shape[1]) : text;
}

ProbeTokens read_probe_tokens(const ArrayFile& file) {
    ProbeTokens tokens;
    const TensorType type = file.type(kProbeTokenIds);
    if (type.shape.size() != 2)
        throw UserError(fmt::format("{}: /tokens/ids is not a matrix", file.path().string()),
                        "make the file again with headroom probe");
    tokens.batch_size = type.shape[0];
    tokens.seq_len = type.shape[1];
    tokens.ids = file.read_all<int32_t>(kProbeTokenIds);
    const std::string text = file.attribute("/tokens", "pieces");
    if (text.empty()) return tokens;
    const json pieces = parse_json_or_null(text);
    const bool good = pieces.is_array() && pieces.size() == tokens.ids.size() &&
                      std::all_of(pieces.begin(), pieces.end(),
                                  [](const json& piece) { return piece.is_string(); });
    if (!good)
        throw UserError(
            fmt::format("{}: the texts of the tokens do not fit them", file.path().string()),
            "make the file again with headroom probe");
    tokens.pieces = pieces.get<std::vector<std::string>>();
    return tokens;
}

std::string probe_file_name(const std::string& kind, int64_t step) {
    const ProbeSchema* schema = find_probe_schema(kind);
    return fmt::format("{}-step-{:08}.h5", schema == nullptr ? kind : schema->file_word(), step);
}

}  // namespace headroom

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/model_config.h"
#include "core/log/array_file.h"

namespace headroom {

/// The `schema` of probe files of every version begins with it; one may replace another.
inline constexpr std::string_view kProbeFiles = "headroom-probe/";

/// What every probe file says of itself; core/probe/README.md is the document.
struct ProbeHeader {
    std::string kind;        ///< "attention", "heads", "similarity", "linear", "lens", ...
    std::string checkpoint;  ///< the file, or "" when probed during training
    std::string run;         ///< name of the run, "" if unknown
    int64_t step = -1;       ///< of training, -1 if unknown
    std::string text;        ///< what the tokens are: "text:…", "tokens", "prompt"
    ModelConfig model;

    bool operator==(const ProbeHeader&) const = default;
};

/// The tokens that were probed: ids [batch_size, seq_len] and what each reads as.
struct ProbeTokens {
    int64_t batch_size = 1, seq_len = 0;
    std::vector<int32_t> ids;
    std::vector<std::string> pieces = {};  ///< UTF-8, one per id; empty if there is no tokenizer
};

/// Of a model of images: every sequence has the places of an image, ids 0, 1, ..., and they read
/// "cls" for the class token and "r0c2" for the patch in row 0 and column 2.
ProbeTokens image_places(const ModelConfig& model, int64_t images);

void write_probe_header(ArrayFileWriter& file, const ProbeHeader& header);
/// UserError if the file is no probe file, or of a later version.
ProbeHeader read_probe_header(const ArrayFile& file);

void write_probe_tokens(ArrayFileWriter& file, const ProbeTokens& tokens);
ProbeTokens read_probe_tokens(const ArrayFile& file);
/// What was probed, for people: "split:0.1 (8 × 64)", the sequences and their length.
std::string describe_tokens(const std::string& text, int64_t batch_size, int64_t seq_len);
/// The same of a file; without tokens in it, its text.
std::string describe_tokens(const ArrayFile& file);

/// RUN_DIR/probes/KIND-step-00000500.h5, KIND being the word that the kind's files have
/// (ProbeSchema::file_word).
std::string probe_file_name(const std::string& kind, int64_t step);

}  // namespace headroom

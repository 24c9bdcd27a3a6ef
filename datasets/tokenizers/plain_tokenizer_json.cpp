#include "datasets/tokenizers/plain_tokenizer_json.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/data/tokenizer_spec.h"
#include "datasets/tokenizers/bpe_vocabulary.h"

namespace headroom {

using nlohmann::ordered_json;

std::string plain_tokenizer_json(const Tokenizer& tokenizer) {
    const TokenizerSpec::Kind kind = parse_tokenizer_spec(tokenizer.name()).kind;
    const bool bytes = kind == TokenizerSpec::Kind::kByte;
    if (!bytes && kind != TokenizerSpec::Kind::kChar) return "";
    ordered_json vocabulary = ordered_json::object();
    for (int32_t id = 0; id < tokenizer.vocab_size(); ++id)
        vocabulary[bytes ? spelling_of_byte(id) : tokenizer.decode({&id, 1})] = id;
    const auto byte_level = [](bool prefix) {
        return ordered_json{{"type", "ByteLevel"},
                            {"add_prefix_space", prefix},
                            {"trim_offsets", true},
                            {"use_regex", false}};
    };
    const ordered_json document{
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens", ordered_json::array()},
        {"normalizer", nullptr},
        {"pre_tokenizer", bytes ? byte_level(false) : ordered_json()},
        {"post_processor", nullptr},
        {"decoder", bytes ? byte_level(true) : ordered_json{{"type", "Fuse"}}},
        {"model",
         {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", vocabulary},
          {"merges", ordered_json::array()}}}};
    return dump_text(document, 2) + "\n";
}

}  // namespace headroom

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datasets/token_array.h"

namespace headroom {

/// Binary token files. No format tells its vocabulary.
///   nanogpt: little-endian uint16 ids and nothing else.
///   llmc: 256 little-endian int32 (magic, version, count, zeros), then the ids: magic 20240520,
///   version 1 for uint16 ids; magic 20240801, version 7 for uint32 ids.
enum class TokenFormat { kNanoGpt, kLlmc16, kLlmc32 };

/// "nanoGPT uint16", "llm.c uint16", "llm.c uint32".
std::string name_of(TokenFormat format);

struct TokenFile {
    TokenArray tokens;  ///< mapped, not read
    TokenFormat format = TokenFormat::kNanoGpt;
};

/// Maps a token file; the magic number decides about the format. Throws UserError naming `path` if
/// it is missing, empty, truncated or of an unknown version.
TokenFile open_token_file(const std::string& path);

/// Bytes of an id: 2 or 4.
int width_of(TokenFormat format);

/// What stands before `count` ids; "" for nanoGPT. UserError if there are too many.
std::string token_file_header(TokenFormat format, int64_t count);

/// Appends ids as the format has them. UserError for an id that it cannot hold.
void append_ids(TokenFormat format, std::span<const int32_t> ids, std::vector<char>& bytes);

}  // namespace headroom

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/data/data_spec.h"
#include "datasets/formats/token_manifest.h"
#include "datasets/token_array.h"

namespace headroom {

/// The ids that a spec names which holds some (DataSpecKind::holds_ids):
///   tokens:FILE  a token file (token_file.h), mapped;
///   hdf5:FILE    an array of integers with one or two dimensions (row after row) of an HDF5 file;
///                ?dataset=NAME, else "tokens", else the only one. Mapped where it is stored in one
///                piece as it is, which is h5py's default, else read into memory.
/// Throws UserError naming the file.
TokenArray open_stored_tokens(const DataSpec& spec);

/// The same for people: "ids.bin", "train of ids.h5".
std::string label_of(const DataSpec& spec);

/// What a file's manifest says of where its `count` tokens are from; none without one, and none of
/// hdf5:. UserError for a bad one.
std::optional<TokenOrigin> origin_of(const DataSpec& spec, int64_t count);

/// The vocabulary that such a spec declares by ?vocab=N, 0 if by none. UserError naming `key` for
/// another option than it has.
int64_t declared_vocabulary(const DataSpec& spec, const std::string& key);

}  // namespace headroom

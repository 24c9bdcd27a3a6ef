#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "datasets/text/packed_stream.h"

namespace headroom {

/// Where headroom-parquet.so lies, which reads Parquet and is built where Apache Arrow is
/// installed. To be said once, when the program starts; "" means that there is none.
void set_parquet_module(std::filesystem::path file);
/// Whether it was built.
bool has_parquet_module();

/// By its first bytes.
bool is_parquet(const std::string& path);

/// The rows of a Parquet file as JSON Lines: an object a row, its keys the columns. UserError for
/// text that is not UTF-8, for a damaged file, and where the module is absent.
std::unique_ptr<PackedStream> open_parquet(const std::string& path);

}  // namespace headroom

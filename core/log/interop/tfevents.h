#pragma once

#include <string>
#include <string_view>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// TensorBoard's event files: records of a length, its masked CRC-32C, a protocol buffer `Event`
/// and the masked CRC-32C of that (tensorflow/core/lib/io/record_writer.h, core/util/event.proto).

/// Reads one file, named `source` in errors, into `log`: scalars as simple values and as tensors of
/// one number, as PyTorch, JAX and TensorFlow 2 write them; everything else is passed over. A
/// record that is cut off at the end, as a tool that still writes leaves it, ends the file.
/// UserError for a record whose checksum is wrong.
void read_tfevents(std::string_view bytes, const std::string& source, ForeignLog& log);

/// The log as one event file that TensorBoard opens; values are stored as float32, as it does.
std::string make_tfevents(const ForeignLog& log);

}  // namespace headroom

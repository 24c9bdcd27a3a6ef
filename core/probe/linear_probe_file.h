#pragma once

#include "core/log/array_file.h"
#include "core/probe/linear_probe.h"

namespace headroom {

/// The group /linear of a probe file; core/probe/README.md is the document.
void write_linear_probe(ArrayFileWriter& file, const LinearProbeResult& result);
/// UserError naming the file and what does not fit in it.
LinearProbeResult read_linear_probe(const ArrayFile& file);

}  // namespace headroom

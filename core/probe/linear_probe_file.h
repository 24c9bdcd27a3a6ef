#pragma once

#include <string>

#include "core/log/array_file.h"
#include "core/probe/linear_probe.h"

namespace headroom {

/// The group /linear of a probe file; core/probe/README.md is the document.
void write_linear_probe(ArrayFileWriter& file, const LinearProbeResult& result);
/// UserError naming the file and what does not fit in it.
LinearProbeResult read_linear_probe(const ArrayFile& file);

/// How the probes were trained, for people: "150 steps at lr 0.0001, 0.0003".
std::string describe_probe_training(const LinearProbeResult& result);

}  // namespace headroom

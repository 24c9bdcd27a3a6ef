#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/config/job_json.h"
#include "core/probe/probe_file.h"
#include "panels/probe/probe_source.h"
#include "tests/support/temporary_folder.h"

namespace headroom {

/// A probe file NAME.h5 of `n_layer` layers on three tokens with what `write` adds.
inline ProbeSource write_probe(const TemporaryFolder& folder, const std::string& name,
                               const std::string& kind, int64_t n_layer,
                               const std::function<void(ArrayFileWriter&)>& write,
                               const std::string& text = "val.txt", int64_t step = -1,
                               const std::vector<int32_t>& ids = {5, 6, 7}) {
    ProbeHeader header;
    header.kind = kind;
    header.run = name;
    header.text = text;
    header.step = step;
    header.model.n_layer = n_layer;
    const std::filesystem::path path = folder / (name + ".h5");
    ArrayFileWriter file(path);
    write_probe_header(file, header);
    write_probe_tokens(file, {1, 3, ids, {"the", " cat", "\n"}});
    write(file);
    file.commit();
    ProbeSource source;
    source.name = source.group = name;
    source.file = path;
    source.source.run = name;
    return source;
}

}  // namespace headroom

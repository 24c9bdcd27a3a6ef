#pragma once

#include <filesystem>

#include "core/probe/attention_record.h"
#include "panels/inspector/map_source.h"

namespace headroom {

/// The maps of a file that `headroom probe attention` wrote.
class RecordSource : public MapSource {
  public:
    /// UserError where the file is no attention record. Reads names, tokens
    /// and the picture only.
    explicit RecordSource(const std::filesystem::path& file, const std::string& title = "");

    const MapInfo& info() const override { return info_; }
    std::vector<int64_t> factors(const MapPlane& plane) const override;
    void read(const MapPlane& plane, int64_t factor, const CellBox& box,
              std::span<float> out) const override;

    const AttentionRecord& record() const { return record_; }

  private:
    AttentionRecord record_;
    MapInfo info_;
};

}  // namespace headroom

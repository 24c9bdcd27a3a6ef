#pragma once

#include "panels/inspector/map_source.h"

namespace headroom {

/// B − A, entry by entry, of two records of the same tokens. Cells are differences of means; a
/// largest entry has no meaning here and is not offered.
class DifferenceSource : public MapSource {
  public:
    DifferenceSource(MapSourcePointer a, MapSourcePointer b);

    const MapInfo& info() const override { return info_; }
    std::vector<int64_t> factors(const MapPlane& plane) const override;
    void read(const MapPlane& plane, int64_t factor, const CellBox& box,
              std::span<float> out) const override;

    const MapSource& a() const { return *a_; }
    const MapSource& b() const { return *b_; }

  private:
    MapSourcePointer a_, b_;
    MapInfo info_;
};

/// Whether both are of the same tokens or, of images, pictures.
bool have_same_tokens(const MapInfo& a, const MapInfo& b);

/// "" where the two can be subtracted, else one line that says why not.
std::string why_not_comparable(const MapInfo& a, const MapInfo& b);

}  // namespace headroom

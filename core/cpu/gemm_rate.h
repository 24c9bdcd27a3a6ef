#pragma once

#include <vector>

#include "core/device/device_ceilings.h"

namespace headroom {

/// Square products of one kind by each installed library: float32, or bfloat16 with float32 sums
/// (oneDNN alone). Holds their matrices.
class GemmMeter {
  public:
    explicit GemmMeter(DType dtype);
    ~GemmMeter();

    /// The rate of each library, fastest first. Takes about half a second a library.
    std::vector<GemmRate> rates();
    /// See DeviceCeilings::product_rate_now.
    double rate_now();

  private:
    struct Library;
    std::vector<Library> libraries_;
};

}  // namespace headroom

#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "core/weights/interop/infer_keys.h"
#include "core/weights/interop/layout.h"

namespace headroom {

/// Where one of our tensors stands in a file.
struct WeightPlace {
    std::string tensor;  ///< its name in the file; "" for zeros that no file holds
    Orientation orientation = Orientation::kSame;
    OutputBlocks outputs;
};
using WeightPlaces = std::map<std::string, WeightPlace, std::less<>>;

/// Finds every tensor of the model in a checkpoint of ours. UserError naming the tensor if one is
/// missing, has another shape, no floating type, or does not belong to the model.
WeightPlaces places_of_ours(const TensorSet& set, std::span<const ParameterSpec> specs);

/// The same in another tool's layout. A second copy of a tied head has to equal the embedding;
/// biases that the model does not have may be there if they are zero.
WeightPlaces places_in_layout(const Layout& layout, const BareTensors& tensors,
                              std::span<const ParameterSpec> specs, int64_t d_head,
                              const std::set<std::string, std::less<>>& zero_patterns);

}  // namespace headroom

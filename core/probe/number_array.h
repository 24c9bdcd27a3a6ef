#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/log/array_file.h"

namespace headroom {

/// Numbers of a probe in float64 with their shape, row-major.
struct NumberArray {
    Shape shape = {};
    std::vector<double> values = {};

    /// All NaN: what nobody fills in does not exist.
    static NumberArray unknown(Shape shape) {
        const auto count = static_cast<size_t>(count_of(shape));
        return {std::move(shape), std::vector<double>(count, std::nan(""))};
    }

    bool empty() const { return values.empty(); }
    /// As many indices as there are dimensions.
    double at(std::initializer_list<int64_t> indices) const { return values[place(indices)]; }
    double& at(std::initializer_list<int64_t> indices) { return values[place(indices)]; }

    bool operator==(const NumberArray&) const = default;

  private:
    size_t place(std::initializer_list<int64_t> indices) const {
        int64_t at = 0;
        size_t dimension = 0;
        for (const int64_t index : indices) at = at * shape[dimension++] + index;
        return static_cast<size_t>(at);
    }
};

using NumberArrays = std::map<std::string, NumberArray>;

/// Writes each as GROUP/NAME.
inline void write_arrays(ArrayFileWriter& file, const std::string& group,
                         const NumberArrays& arrays) {
    for (const auto& [name, array] : arrays)
        file.add(group + "/" + name, array.shape, array.values);
}

}  // namespace headroom

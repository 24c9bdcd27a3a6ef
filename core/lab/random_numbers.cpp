#include "core/lab/random_numbers.h"

#include "core/model/initialize.h"

namespace headroom {
namespace {

template <class T>
std::vector<T> normal(const std::string& name, uint64_t seed, int64_t rows, int64_t cols,
                      double deviation) {
    ParameterSpec spec;
    spec.name = name;
    spec.shape = {rows, cols};
    spec.init_std = deviation;
    std::vector<T> values(static_cast<size_t>(rows * cols));
    fill_initial(spec, seed, std::span<T>(values));
    return values;
}

}  // namespace

Matrix normal_matrix(const std::string& name, uint64_t seed, int64_t rows, int64_t cols,
                     double deviation) {
    return {rows, cols, normal<double>(name, seed, rows, cols, deviation)};
}

std::vector<float> normal_floats(const std::string& name, uint64_t seed, int64_t rows, int64_t cols,
                                 double deviation) {
    return normal<float>(name, seed, rows, cols, deviation);
}

}  // namespace headroom

#pragma once

#include <cstdint>
#include <span>

#include "core/model/parameters.h"

namespace headroom {

/// Initial values of one parameter, row-major: N(0, init_std^2) or the constant 1. Every number is
/// a function of (seed, name, row, column) alone, so that weights which two variants of a study
/// have in common are equal, also where one of them has fewer columns (heads) or rows (positions).
/// T is float or double; both get the same numbers, rounded.
template <class T>
void fill_initial(const ParameterSpec& spec, uint64_t seed, std::span<T> values);

}  // namespace headroom

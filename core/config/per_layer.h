#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace headroom {

/// A choice that may differ by layer: one word for all of them, or one entry per layer (layers
/// count from 0). Entries that all agree are one word, so that equal models compare equal.
template <class T>
class PerLayer {
  public:
    PerLayer(T word = T{}) : values_{word} {}  // NOLINT: a word is such a choice

    /// REQUIRES: `values` is not empty.
    static PerLayer of(std::vector<T> values) {
        CHECK(!values.empty(), "a list by layer has an entry");
        PerLayer made;
        made.values_ = std::move(values);
        made.join_equal();
        return made;
    }

    T at(int64_t layer) const {
        if (uniform()) return values_.front();
        CHECK(layer >= 0 && layer < std::ssize(values_), "the list has an entry for every layer");
        return values_[static_cast<size_t>(layer)];
    }

    bool uniform() const { return values_.size() == 1; }

    /// The word that holds in every layer, or nothing.
    std::optional<T> word() const { return uniform() ? std::optional<T>(at(0)) : std::nullopt; }

    /// Whether the list fits a model of so many layers; one word fits any.
    bool fits(int64_t n_layer) const { return uniform() || std::ssize(values_) == n_layer; }

    /// Gives one layer of `n_layer` its own entry. REQUIRES: fits(n_layer), layer < n_layer.
    void set(int64_t layer, int64_t n_layer, T value) {
        CHECK(fits(n_layer) && layer >= 0 && layer < n_layer, "the layer is one of the model's");
        if (uniform()) values_.resize(static_cast<size_t>(n_layer), values_.front());
        values_[static_cast<size_t>(layer)] = value;
        join_equal();
    }

    /// Whether `test` holds in some layer.
    template <class Test>
    bool any(Test test) const {
        return std::any_of(values_.begin(), values_.end(), test);
    }
    bool has(T value) const {
        return any([&](T entry) { return entry == value; });
    }

    /// One entry if all layers agree, else one per layer.
    const std::vector<T>& entries() const { return values_; }

    bool operator==(const PerLayer&) const = default;

  private:
    void join_equal() {
        const T first = values_.front();
        if (!any([&](T entry) { return entry != first; })) values_.assign(1, first);
    }

    std::vector<T> values_;
};

}  // namespace headroom

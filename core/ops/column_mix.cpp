#include "core/ops/column_mix.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/graph/backward.h"

namespace headroom {
namespace {

int64_t columns_of(const std::vector<MixPiece>& pieces) {
    int64_t columns = 0;
    for (const MixPiece& piece : pieces) columns += piece.width;
    return columns;
}

void check_data(const Op& op, const ColumnMixOptions& o, std::span<const TensorType> data) {
    for (const TensorType& type : data)
        require_type(type.dtype == data[0].dtype && type.rows() == data[0].rows(), op,
                     fmt::format("data {} of {} rows", name_of(data[0].dtype), data[0].rows()),
                     type);
    for (const MixPiece& piece : o.pieces)
        for (const MixTerm& term : piece.terms) {
            const TensorType& x = data[static_cast<size_t>(term.input)];
            require_type(term.first + piece.width <= x.columns(), op,
                         fmt::format("at least {} columns", term.first + piece.width), x);
        }
}

void check_weights(const Op& op, const ColumnMixOptions& o, DType accumulator,
                   std::span<const TensorType> weights) {
    for (const MixPiece& piece : o.pieces)
        for (const MixTerm& term : piece.terms) {
            if (term.weights < 0) continue;
            const TensorType& w = weights[static_cast<size_t>(term.weights)];
            require_type(
                w.dtype == accumulator && term.element < w.count(), op,
                fmt::format("weights {} with element {}", name_of(accumulator), term.element), w);
        }
}

size_t weight_inputs(const ColumnMixOptions& o) {
    int count = 0;
    for (const MixPiece& piece : o.pieces)
        for (const MixTerm& term : piece.terms) count = std::max(count, term.weights + 1);
    return static_cast<size_t>(count);
}

/// The gradient of data input `input` as a mix of dy: the columns are cut wherever a term begins or
/// ends, so that every piece has the same terms in all its columns.
std::vector<MixPiece> transpose(const ColumnMixOptions& o, size_t input, int64_t columns) {
    std::set<int64_t> cuts{0, columns};
    for (const MixPiece& piece : o.pieces)
        for (const MixTerm& term : piece.terms)
            if (static_cast<size_t>(term.input) == input)
                cuts.insert({term.first, term.first + piece.width});
    std::vector<MixPiece> transposed;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
        MixPiece part{*std::next(cut) - *cut, {}};
        int64_t out = 0;
        for (const MixPiece& piece : o.pieces) {
            for (const MixTerm& term : piece.terms) {
                const bool covers = static_cast<size_t>(term.input) == input &&
                                    term.first <= *cut && *cut < term.first + piece.width;
                if (!covers) continue;
                MixTerm back = term;
                back.input = 0;
                back.first = out + *cut - term.first;
                part.terms.push_back(back);
            }
            out += piece.width;
        }
        transposed.push_back(std::move(part));
    }
    return transposed;
}

}  // namespace

ColumnMix::ColumnMix(ColumnMixOptions options) : options_(std::move(options)) {
    for (const MixPiece& piece : options_.pieces) {
        CHECK(piece.width > 0, "column_mix: an empty piece");
        for (const MixTerm& term : piece.terms)
            CHECK(term.input >= 0 && static_cast<size_t>(term.input) < options_.n_data &&
                      term.first >= 0 && term.element >= 0,
                  "column_mix: a term of an input that does not exist");
    }
}

std::vector<TensorType> ColumnMix::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, options_.n_data + weight_inputs(options_));
    check_data(*this, options_, in.first(options_.n_data));
    check_weights(*this, options_, accumulator_of(in[0].dtype), in.subspan(options_.n_data));
    TensorType out = in[0];
    out.shape.back() = columns_of(options_.pieces);
    return {out};
}

void ColumnMix::backward(Backward& b) const {
    const ValueId dy = b.output_grad(0);
    const size_t n_data = options_.n_data;
    std::vector<size_t> data_targets, weight_targets;
    std::vector<int64_t> columns;
    std::vector<ValueId> data, weights;
    for (size_t i = 0; i < b.input_count(); ++i) {
        if (b.wants(i)) (i < n_data ? data_targets : weight_targets).push_back(i);
        (i < n_data ? data : weights).push_back(b.input(i));
        if (i < n_data) columns.push_back(b.input_type(i).columns());
    }
    if (!weight_targets.empty()) {
        std::vector<Shape> shapes;
        std::vector<int> targets;
        for (const size_t i : weight_targets) {
            shapes.push_back(b.input_type(i).shape);
            targets.push_back(static_cast<int>(i - n_data));
        }
        data.push_back(dy);
        b.emit(std::make_shared<ColumnMixBackwardWeights>(options_, shapes, targets), data,
               weight_targets);
    }
    if (data_targets.empty()) return;
    weights.push_back(dy);
    b.emit(std::make_shared<ColumnMixBackwardData>(options_, columns, data_targets), weights,
           data_targets);
}

ColumnMixBackwardData::ColumnMixBackwardData(const ColumnMixOptions& options,
                                             const std::vector<int64_t>& columns,
                                             std::vector<size_t> targets)
    : options_(options), targets_(std::move(targets)) {
    for (const size_t i : targets_) transposed_.push_back(transpose(options, i, columns.at(i)));
}

std::vector<TensorType> ColumnMixBackwardData::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, weight_inputs(options_) + 1);
    const TensorType& dy = in.back();
    check_weights(*this, options_, accumulator_of(dy.dtype), in.first(in.size() - 1));
    require_type(dy.columns() == columns_of(options_.pieces), *this,
                 fmt::format("a gradient of {} columns", columns_of(options_.pieces)), dy);
    std::vector<TensorType> out(targets_.size(), dy);
    for (size_t n = 0; n < targets_.size(); ++n) out[n].shape.back() = columns_of(transposed_[n]);
    return out;
}

ColumnMixBackwardWeights::ColumnMixBackwardWeights(ColumnMixOptions options,
                                                   std::vector<Shape> shapes,
                                                   std::vector<int> targets)
    : options_(std::move(options)), shapes_(std::move(shapes)), targets_(std::move(targets)) {}

std::vector<TensorType> ColumnMixBackwardWeights::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, options_.n_data + 1);
    check_data(*this, options_, in.first(options_.n_data));
    TensorType dy = in[0];
    dy.shape.back() = columns_of(options_.pieces);
    require_type(in.back() == dy, *this, "a gradient " + to_string(dy), in.back());
    std::vector<TensorType> out;
    for (const Shape& shape : shapes_) out.push_back({accumulator_of(dy.dtype), shape});
    return out;
}

}  // namespace headroom

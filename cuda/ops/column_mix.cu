#include "core/ops/column_mix.h"

#include <memory>
#include <optional>
#include <type_traits>

#include "core/ops/dispatch.h"
#include "cuda/device_memory.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

/// A summand with its addresses. Untyped, since a table outlives the dispatch on the type.
struct TermAt {
    const void* x;       ///< its first column in row 0
    int64_t columns;     ///< from row to row
    const void* weight;  ///< or null
    double constant, slope;
};

/// The terms of a piece of columns.
struct PieceAt {
    int64_t first_term, terms;
    int64_t first;  ///< column of the output
};

/// One mix, laid out for the device at its first launch: the tensors of a node stay where they are.
struct MixTables {
    DeviceTable<TermAt> terms;
    DeviceTable<PieceAt> pieces;
    DeviceTable<int32_t> piece_of;  ///< by column
};

const std::byte* column_at(const Tensor& tensor, int64_t column) {
    return tensor.as<const std::byte>() + column * static_cast<int64_t>(size_of(tensor.type.dtype));
}

MixTables make_tables(const std::vector<MixPiece>& pieces, std::span<const Tensor> data,
                      std::span<const Tensor> weights) {
    std::vector<TermAt> terms;
    std::vector<PieceAt> places;
    std::vector<int32_t> piece_of;
    for (const MixPiece& piece : pieces) {
        places.push_back({static_cast<int64_t>(terms.size()),
                          static_cast<int64_t>(piece.terms.size()),
                          static_cast<int64_t>(piece_of.size())});
        for (const MixTerm& term : piece.terms) {
            const Tensor& x = data[static_cast<size_t>(term.input)];
            const void* weight =
                term.weights < 0
                    ? nullptr
                    : column_at(weights[static_cast<size_t>(term.weights)], term.element);
            terms.push_back(
                {column_at(x, term.first), x.columns(), weight, term.constant, term.slope});
        }
        piece_of.insert(piece_of.end(), static_cast<size_t>(piece.width),
                        static_cast<int32_t>(places.size() - 1));
    }
    return {DeviceTable<TermAt>(terms), DeviceTable<PieceAt>(places),
            DeviceTable<int32_t>(piece_of)};
}

template <class T>
void mix(const Call& call, const MixTables& tables, const Tensor& out, bool accumulate) {
    using A = accumulator_t<T>;
    T* y = out.as<T>();
    const int64_t columns = out.columns();
    const TermAt* terms = tables.terms.data();
    const PieceAt* pieces = tables.pieces.data();
    const int32_t* piece_of = tables.piece_of.data();
    for_each(call.stream, out.count(), [=] __device__(int64_t i) {
        const int64_t row = i / columns, column = i % columns;
        const PieceAt piece = pieces[piece_of[column]];
        A sum = 0;
        for (int64_t n = 0; n < piece.terms; ++n) {
            const TermAt term = terms[piece.first_term + n];
            A factor = static_cast<A>(term.constant);
            if (term.weight != nullptr)
                factor += static_cast<A>(term.slope) * *static_cast<const A*>(term.weight);
            const T* x = static_cast<const T*>(term.x);
            sum += factor * static_cast<A>(x[row * term.columns + column - piece.first]);
        }
        put(y[i], sum, accumulate);
    });
}

/// What one weight is multiplied with: columns of x and of dy.
struct ProductAt {
    const void* x;
    int64_t columns, dy_first, width;
    double slope;
};

struct WeightTables {
    DeviceTable<ProductAt> products;
    DeviceTable<int64_t> first;  ///< per element, and the end of the last
};

/// The products of every element of weight input `weights`.
WeightTables weight_tables(const ColumnMixOptions& o, int weights, int64_t count,
                           std::span<const Tensor> data) {
    std::vector<std::vector<ProductAt>> of(static_cast<size_t>(count));
    int64_t dy_first = 0;
    for (const MixPiece& piece : o.pieces) {
        for (const MixTerm& term : piece.terms) {
            if (term.weights != weights) continue;
            const Tensor& x = data[static_cast<size_t>(term.input)];
            of[static_cast<size_t>(term.element)].push_back(
                {column_at(x, term.first), x.columns(), dy_first, piece.width, term.slope});
        }
        dy_first += piece.width;
    }
    std::vector<ProductAt> products;
    std::vector<int64_t> first;
    for (const std::vector<ProductAt>& list : of) {
        first.push_back(static_cast<int64_t>(products.size()));
        products.insert(products.end(), list.begin(), list.end());
    }
    first.push_back(static_cast<int64_t>(products.size()));
    return {DeviceTable<ProductAt>(products), DeviceTable<int64_t>(first)};
}

template <class T>
void weight_gradient(const Call& call, const WeightTables& tables, const Tensor& out,
                     bool accumulate) {
    using A = accumulator_t<T>;
    const Tensor& gradient = call.inputs.back();
    const T* dy = gradient.as<const T>();
    const int64_t rows = gradient.rows(), columns = gradient.columns();
    const ProductAt* products = tables.products.data();
    const int64_t* first = tables.first.data();
    A* dw = out.as<A>();
    for_rows(call.stream, out.count(), 256, [=] __device__(Block & b, int64_t element) {
        double sum = 0;
        for (int64_t n = first[element]; n < first[element + 1]; ++n) {
            const ProductAt p = products[n];
            const T* x = static_cast<const T*>(p.x);
            double dot = 0;
            for (int64_t i = b.thread(); i < rows * p.width; i += b.threads()) {
                const int64_t row = i / p.width, c = i % p.width;
                dot += static_cast<double>(static_cast<A>(x[row * p.columns + c])) *
                       static_cast<double>(static_cast<A>(dy[row * columns + p.dy_first + c]));
            }
            sum += p.slope * dot;
        }
        sum = b.sum(sum);
        if (b.thread() == 0) put(dw[element], sum, accumulate);
    });
}

}  // namespace

Kernel column_mix_kernel(const Op& op, Types) {
    const auto options = dynamic_cast<const ColumnMix&>(op).options();
    const auto tables = std::make_shared<std::optional<MixTables>>();
    return [options, tables](const Call& call) {
        if (!*tables)
            tables->emplace(make_tables(options.pieces, call.inputs.first(options.n_data),
                                        call.inputs.subspan(options.n_data)));
        dispatch_float(call.outputs[0].type.dtype, [&]<class T>(T) {
            mix<T>(call, **tables, call.outputs[0], call.accumulate[0] != 0);
        });
    };
}

Kernel column_mix_backward_data_kernel(const Op& op, Types) {
    const auto transposed = dynamic_cast<const ColumnMixBackwardData&>(op).transposed();
    const auto tables = std::make_shared<std::vector<MixTables>>();
    return [transposed, tables](const Call& call) {
        const auto weights = call.inputs.first(call.inputs.size() - 1);
        if (tables->empty())
            for (const std::vector<MixPiece>& pieces : transposed)
                tables->push_back(make_tables(pieces, call.inputs.last(1), weights));
        dispatch_float(call.inputs.back().type.dtype, [&]<class T>(T) {
            for (size_t n = 0; n < tables->size(); ++n)
                mix<T>(call, (*tables)[n], call.outputs[n], call.accumulate[n] != 0);
        });
    };
}

Kernel column_mix_backward_weights_kernel(const Op& op, Types) {
    const auto& backward = dynamic_cast<const ColumnMixBackwardWeights&>(op);
    const auto options = backward.options();
    const auto targets = backward.targets();
    const auto tables = std::make_shared<std::vector<WeightTables>>();
    return [options, targets, tables](const Call& call) {
        const auto data = call.inputs.first(call.inputs.size() - 1);
        if (tables->empty())
            for (size_t n = 0; n < targets.size(); ++n)
                tables->push_back(
                    weight_tables(options, targets[n], call.outputs[n].count(), data));
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            for (size_t n = 0; n < tables->size(); ++n)
                weight_gradient<T>(call, (*tables)[n], call.outputs[n], call.accumulate[n] != 0);
        });
    };
}

}  // namespace headroom::cuda

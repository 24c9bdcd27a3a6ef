#include "core/ops/column_mix.h"

#include <memory>
#include <optional>
#include <type_traits>

#include "core/ops/dispatch.h"
#include "cuda/device/device_memory.h"
#include "cuda/kernels.h"
#include "cuda/primitives/column_sums.h"
#include "cuda/primitives/factor.h"

namespace headroom::cuda {
namespace {

/// A summand with its addresses. Untyped, since a table outlives the dispatch on the type.
struct TermAt {
    const void* x;       ///< its first column in row 0
    int64_t columns;     ///< from row to row
    const void* weight;  ///< or null
    Factor factor;
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
    bool packs;  ///< every piece, and every place that it is read from, is made of full packs
};

const std::byte* column_at(const Tensor& tensor, int64_t column) {
    return tensor.as<const std::byte>() + column * static_cast<int64_t>(size_of(tensor.type.dtype));
}

/// Whether `width` columns are full packs, from column `first` of x in every row.
bool are_packs(const Tensor& x, int64_t first, int64_t width) {
    const int64_t full = 16 / static_cast<int64_t>(size_of(x.type.dtype));
    return first % full == 0 && width % full == 0 && x.columns() % full == 0 &&
           are_aligned(static_cast<const std::byte*>(x.data));
}

MixTables make_tables(const std::vector<MixPiece>& pieces, std::span<const Tensor> data,
                      std::span<const Tensor> weights) {
    std::vector<TermAt> terms;
    std::vector<PieceAt> places;
    std::vector<int32_t> piece_of;
    const int64_t full = 16 / static_cast<int64_t>(size_of(data[0].type.dtype));
    bool packs = true;
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
                {column_at(x, term.first), x.columns(), weight, {term.constant, term.slope}});
            packs = packs && are_packs(x, term.first, piece.width);
        }
        packs = packs && piece.width % full == 0;
        piece_of.insert(piece_of.end(), static_cast<size_t>(piece.width),
                        static_cast<int32_t>(places.size() - 1));
    }
    return {DeviceTable<TermAt>(terms), DeviceTable<PieceAt>(places),
            DeviceTable<int32_t>(piece_of), packs};
}

/// A pack of the output: all of it lies in one piece.
template <class T>
struct Mix {
    using A = accumulator_t<T>;
    const TermAt* terms;
    const PieceAt* pieces;
    const int32_t* piece_of;
    T* y;
    int64_t columns;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const PieceAt piece = pieces[piece_of[column]];
        AlignedVector<A, W> sum{};
        for (int64_t n = 0; n < piece.terms; ++n) {
            const TermAt term = terms[piece.first_term + n];
            const A factor = term.factor.at(static_cast<const A*>(term.weight));
            const AlignedVector<A, W> values = load_wide<W>(
                static_cast<const T*>(term.x) + row * term.columns + column - piece.first);
#pragma unroll
            for (int k = 0; k < W; ++k) sum[k] += factor * values[k];
        }
        put(y + row * columns + column, sum, accumulate);
    }
};

template <class T>
void mix(const Call& call, const MixTables& tables, const Tensor& out, bool accumulate) {
    for_row_packs<T>(call.stream, out.rows(), out.columns(),
                     tables.packs && are_aligned(out.as<const T>()),
                     Mix<T>{tables.terms.data(), tables.pieces.data(), tables.piece_of.data(),
                            out.as<T>(), out.columns(), accumulate});
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
    bool packs;                  ///< all columns of products are full packs
};

/// The products of every element of weight input `weights`.
WeightTables weight_tables(const ColumnMixOptions& o, int weights, int64_t count,
                           std::span<const Tensor> data, const Tensor& dy) {
    std::vector<std::vector<ProductAt>> of(static_cast<size_t>(count));
    int64_t dy_first = 0;
    bool packs = true;
    for (const MixPiece& piece : o.pieces) {
        for (const MixTerm& term : piece.terms) {
            if (term.weights != weights) continue;
            const Tensor& x = data[static_cast<size_t>(term.input)];
            of[static_cast<size_t>(term.element)].push_back(
                {column_at(x, term.first), x.columns(), dy_first, piece.width, term.slope});
            packs = packs && are_packs(x, term.first, piece.width) &&
                    are_packs(dy, dy_first, piece.width);
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
    return {DeviceTable<ProductAt>(products), DeviceTable<int64_t>(first), packs};
}

/// A block for a slice of the rows of one weight: its part of slope dy · x.
template <class T, int W>
struct AddProducts {
    using A = accumulator_t<T>;
    const ProductAt* products;
    const int64_t* first;
    const T* dy;
    double* partial;  ///< [elements, slices]
    int64_t columns;
    RowSlices slices;
    Divider by_slices;

    __device__ void operator()(Block& b, int64_t index) const {
        const int64_t element = by_slices(index), slice = index - element * slices.count;
        double sum = 0;
        for (int64_t n = first[element]; n < first[element + 1]; ++n)
            sum += products[n].slope * static_cast<double>(dot(b, slice, products[n]));
        sum = b.sum(sum);
        if (b.thread() == 0) partial[index] = sum;
    }

    /// This thread's part.
    __device__ A dot(const Block& b, int64_t slice, const ProductAt& p) const {
        const auto packs = static_cast<uint32_t>(p.width / W);
        const auto rows = static_cast<uint32_t>(by_slices(slices.rows - slice + slices.count - 1));
        A sum = 0;
        for (uint32_t i = b.thread(); i < rows * packs; i += b.threads()) {
            const uint32_t n = i / packs;
            const int64_t row = slice + n * slices.count, c = int64_t{i - n * packs} * W;
            const AlignedVector<A, W> x =
                load_wide<W>(static_cast<const T*>(p.x) + row * p.columns + c);
            const AlignedVector<A, W> d = load_wide<W>(dy + row * columns + p.dy_first + c);
#pragma unroll
            for (int k = 0; k < W; ++k) sum += x[k] * d[k];
        }
        return sum;
    }
};

/// Slices of the rows for each of `count` weights: enough blocks together.
RowSlices slices_of(int64_t rows, int64_t count) {
    constexpr int64_t kThreads = 256;
    return RowSlices(rows, std::max<int64_t>(1, count * kThreads));
}

template <class T>
void weight_gradient(const Call& call, const WeightTables& tables, const Tensor& out,
                     bool accumulate) {
    const Tensor& dy = call.inputs.back();
    const RowSlices slices = slices_of(dy.rows(), out.count());
    CHECK(slices.each() * dy.columns() < (int64_t{1} << 32) - 1024,
          "a slice that 32 bits can count");
    auto* partial = reinterpret_cast<double*>(call.workspace);
    const auto add = [&]<int W>() {
        for_rows(call.stream, out.count() * slices.count, 256,
                 AddProducts<T, W>{tables.products.data(), tables.first.data(), dy.as<const T>(),
                                   partial, dy.columns(), slices, Divider(slices.count)});
    };
    tables.packs ? add.template operator()<kFullPack<T>>() : add.template operator()<1>();
    using A = accumulator_t<T>;
    A* dw = out.as<A>();
    const int64_t count = slices.count;
    for_rows(call.stream, out.count(), 128, [=] __device__(Block & b, int64_t element) {
        double sum = 0;
        for (int64_t s = b.thread(); s < count; s += b.threads())
            sum += partial[element * count + s];
        sum = b.sum(sum);
        if (b.thread() == 0) put(dw[element], sum, accumulate);
    });
}

}  // namespace

static Kernel column_mix_kernel(const Op& op, Types) {
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

static Kernel column_mix_backward_data_kernel(const Op& op, Types) {
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

static Kernel column_mix_backward_weights_kernel(const Op& op, Types inputs) {
    const auto& backward = dynamic_cast<const ColumnMixBackwardWeights&>(op);
    const auto options = backward.options();
    const auto targets = backward.targets();
    const auto tables = std::make_shared<std::vector<WeightTables>>();
    int64_t bytes = 0;
    for (const TensorType& out : op.infer(inputs)) {
        const int64_t slices = slices_of(inputs.back().rows(), out.count()).count;
        bytes = std::max(bytes, out.count() * slices * int64_t{sizeof(double)});
    }
    return {
        [options, targets, tables](const Call& call) {
            const auto data = call.inputs.first(call.inputs.size() - 1);
            if (tables->empty())
                for (size_t n = 0; n < targets.size(); ++n)
                    tables->push_back(weight_tables(options, targets[n], call.outputs[n].count(),
                                                    data, call.inputs.back()));
            dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
                for (size_t n = 0; n < tables->size(); ++n)
                    weight_gradient<T>(call, (*tables)[n], call.outputs[n],
                                       call.accumulate[n] != 0);
            });
        },
        bytes};
}

const RegisteredKernel kColumnMixKernels[] = {
    {"column_mix", column_mix_kernel},
    {"column_mix_backward_data", column_mix_backward_data_kernel},
    {"column_mix_backward_weights", column_mix_backward_weights_kernel}};

}  // namespace headroom::cuda

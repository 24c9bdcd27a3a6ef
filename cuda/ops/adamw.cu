#include "core/ops/adamw.h"

#include <memory>
#include <vector>

#include "core/ops/dispatch.h"
#include "cuda/device/device_memory.h"
#include "cuda/fusion/fused_kernels.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/chunks.h"
#include "cuda/primitives/launch.h"

namespace headroom::cuda {
namespace {

struct NormEntry {
    const void* g;
    int64_t count, first_piece;
    bool wide;  ///< float64
};

/// The sum of the squares of numbers begin .. end, in a fixed order; every thread gets it.
template <class A>
__device__ double sum_squares(Block& b, const A* g, int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin + 4 * b.thread(); i < end; i += 4 * b.threads()) {
        if (i + 4 <= end) {
            const AlignedVector<A, 4> x = load<4>(g + i);
            for (int j = 0; j < 4; ++j)
                sum += static_cast<double>(x[j]) * static_cast<double>(x[j]);
        } else {
            for (int64_t j = i; j < end; ++j)
                sum += static_cast<double>(g[j]) * static_cast<double>(g[j]);
        }
    }
    return b.sum(sum);
}

/// sqrt(sum g²) over all tensors: one launch for the pieces, one that adds them.
void gradient_norm(const Call& call, const DeviceTable<NormEntry>& table, int64_t pieces) {
    auto* partial = reinterpret_cast<double*>(call.workspace);
    const NormEntry* entries = table.data();
    const int tensors = static_cast<int>(call.inputs.size());
    for_rows(call.stream, pieces, 256, [=] __device__(Block & b, int64_t piece) {
        const NormEntry& entry = owner_of(entries, tensors, piece);
        const int64_t begin = (piece - entry.first_piece) * kPiece;
        const int64_t end = begin + kPiece < entry.count ? begin + kPiece : entry.count;
        const double sum = entry.wide
                               ? sum_squares(b, static_cast<const double*>(entry.g), begin, end)
                               : sum_squares(b, static_cast<const float*>(entry.g), begin, end);
        if (b.thread() == 0) partial[piece] = sum;
    });
    double* norm = call.outputs[0].as<double>();
    const bool accumulate = call.accumulate[0] != 0;
    for_rows<1024>(call.stream, 1, 1024, [=] __device__(Block & b, int64_t) {
        double sum = 0;
        for (int64_t i = b.thread(); i < pieces; i += b.threads()) sum += partial[i];
        sum = b.sum(sum);
        if (b.thread() == 0) put(*norm, sqrt(sum), accumulate);
    });
}

std::vector<NormEntry> norm_entries(const Call& call) {
    std::vector<NormEntry> entries;
    int64_t piece = 0;
    for (const Tensor& g : call.inputs) {
        entries.push_back({g.data, g.count(), piece, g.type.dtype == DType::kF64});
        piece += pieces_of(g.count());
    }
    return entries;
}

/// One tensor of an update.
template <class A>
struct AdamWEntry {
    const A* g;
    A *w, *m, *v;
    bf16* copy;  ///< the working copy, or null
    int64_t count, first_piece;
    AdamWOptions options;
};

/// What is the same for all numbers of a tensor in one step.
template <class A>
struct Rates {
    A step_size, root, keep, beta1, beta2, eps, factor;
};

template <class A>
__device__ Rates<A> rates_of(const AdamWOptions& o, const StepContext& step, double norm) {
    const double t = static_cast<double>(step.step), lr = step.lr * o.lr_scale;
    const double share = o.grad_clip > 0 ? o.grad_clip / (norm + 1e-6) : 1.0;
    return {static_cast<A>(lr / (1.0 - pow(o.beta1, t))),
            static_cast<A>(1.0 / sqrt(1.0 - pow(o.beta2, t))),
            static_cast<A>(1.0 - lr * o.weight_decay),
            static_cast<A>(o.beta1),
            static_cast<A>(o.beta2),
            static_cast<A>(o.eps),
            static_cast<A>(share < 1.0 ? share : 1.0)};
}

template <class A>
__device__ void update(const Rates<A>& r, A g, A& w, A& m, A& v) {
    const A gradient = r.factor * g;
    m = r.beta1 * m + (A(1) - r.beta1) * gradient;
    v = r.beta2 * v + (A(1) - r.beta2) * gradient * gradient;
    w = w * r.keep - r.step_size * m / (sqrt(v) * r.root + r.eps);
}

/// Numbers begin .. end of a tensor, four by four.
template <class A>
__device__ void update_piece(Block& b, const AdamWEntry<A>& e, const Rates<A>& r, int64_t begin,
                             int64_t end) {
    for (int64_t i = begin + 4 * b.thread(); i < end; i += 4 * b.threads()) {
        if (i + 4 <= end) {
            const AlignedVector<A, 4> g = load<4>(e.g + i);
            AlignedVector<A, 4> w = load<4>(e.w + i), m = load<4>(e.m + i), v = load<4>(e.v + i);
            for (int j = 0; j < 4; ++j) update(r, g[j], w[j], m[j], v[j]);
            put(e.w + i, w, false);
            put(e.m + i, m, false);
            put(e.v + i, v, false);
            if (e.copy != nullptr) put(e.copy + i, w, false);
        } else {
            for (int64_t j = i; j < end; ++j) {
                update(r, e.g[j], e.w[j], e.m[j], e.v[j]);
                if (e.copy != nullptr) e.copy[j] = static_cast<bf16>(e.w[j]);
            }
        }
    }
}

/// One launch for the rates of every tensor, whose powers are slow in double; one for the numbers.
template <class A>
void update_all(const Call& call, const AdamWEntry<A>* entries, int tensors, int64_t pieces) {
    const double* norm = call.inputs[1].as<const double>();
    const StepContext* step = call.step;
    auto* rates = reinterpret_cast<Rates<A>*>(call.workspace);
    for_each(call.stream, tensors, [=] __device__(int64_t n) {
        rates[n] = rates_of<A>(entries[n].options, *step, *norm);
    });
    for_rows(call.stream, pieces, 256, [=] __device__(Block & b, int64_t piece) {
        const AdamWEntry<A>& entry = owner_of(entries, tensors, piece);
        const int64_t begin = (piece - entry.first_piece) * kPiece;
        const int64_t end = begin + kPiece < entry.count ? begin + kPiece : entry.count;
        if (!isfinite(*norm)) return;  // everything stays as it is
        const Rates<A> own = rates[&entry - entries];
        update_piece(b, entry, own, begin, end);
    });
}

/// AdamW nodes that one launch computes, and their table, filled in at the first call.
template <class A>
class AdamWRun {
  public:
    explicit AdamWRun(std::vector<AdamW> updates) : updates_(std::move(updates)) {}

    void operator()(const Call& call) {
        if (!table_) fill(call);
        update_all<A>(call, table_->data(), static_cast<int>(updates_.size()), pieces_);
    }

  private:
    void fill(const Call& call) {
        std::vector<AdamWEntry<A>> entries;
        const Tensor* out = call.outputs.data();
        for (size_t n = 0; n < updates_.size(); ++n) {
            const Tensor& g = call.inputs[2 * n];
            CHECK(!updates_[n].has_copy() || out[3].type.dtype == DType::kBF16, "bfloat16 copies");
            entries.push_back({g.as<const A>(), out[0].as<A>(), out[1].as<A>(), out[2].as<A>(),
                               updates_[n].has_copy() ? out[3].as<bf16>() : nullptr, g.count(),
                               pieces_, updates_[n].options()});
            pieces_ += pieces_of(g.count());
            out += updates_[n].has_copy() ? 4 : 3;
        }
        table_ = make_table(entries);
    }

    std::vector<AdamW> updates_;
    std::shared_ptr<const DeviceTable<AdamWEntry<A>>> table_;
    int64_t pieces_ = 0;
};

}  // namespace

static Kernel adamw_kernel(const Op& op, Types inputs) {
    return adamw_run_kernel({dynamic_cast<const AdamW&>(op)}, inputs[0].dtype);
}

Kernel adamw_run_kernel(std::vector<AdamW> updates, DType dtype) {
    const auto tensors = static_cast<int64_t>(updates.size());
    if (dtype == DType::kF64)
        return {AdamWRun<double>(std::move(updates)), tensors * int64_t{sizeof(Rates<double>)}};
    return {AdamWRun<float>(std::move(updates)), tensors * int64_t{sizeof(Rates<float>)}};
}

static Kernel gradient_norm_kernel(const Op&, Types inputs) {
    int64_t pieces = 0;
    for (const TensorType& type : inputs) pieces += pieces_of(type.count());
    std::shared_ptr<const DeviceTable<NormEntry>> table;
    return {[table, pieces](const Call& call) mutable {
                if (!table) table = make_table(norm_entries(call));
                gradient_norm(call, *table, pieces);
            },
            pieces * static_cast<int64_t>(sizeof(double))};
}

const RegisteredKernel kAdamwKernels[] = {{"adamw", adamw_kernel},
                                          {"gradient_norm", gradient_norm_kernel}};

}  // namespace headroom::cuda

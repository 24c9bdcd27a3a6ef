#include <algorithm>
#include <cmath>

#include "core/cpu/parallel.h"
#include "core/cpu/vectors.h"
#include "core/ops/cached_attention.h"
#include "core/ops/cached_attention_prefill.h"
#include "core/ops/dispatch.h"
#include "core/ops/softmax_row.h"
#include "core/ops/store.h"

// A task for each batch row and group of query heads. The positions of a cached head lie one after
// the other, so that a head is read as one stream; four positions at a time keep the loops over its
// columns long enough for vector registers. Many rows at once: cached_attention_prefill.h.

namespace headroom {
namespace {

constexpr int64_t kParallelNumbers = 1 << 14;  ///< met by queries: fewer are one thread's work
constexpr int64_t kBlock = 64;  ///< positions that all heads of a task meet before the next ones

/// The cached numbers that a segment reads: position j is `data + j stride`.
template <class T, class A>
struct SegmentRows {
    const T* data;
    int64_t stride, width, at;
    A factor;
};

template <class T, class A>
SegmentRows<T, A> rows_of(const CacheSegment& s, const KernelCall& call, int64_t b, A lambda) {
    const Tensor& cache = call.inputs[1 + static_cast<size_t>(s.cache)];
    const Shape& shape = cache.type.shape;
    return {cache.as<const T>() + (b * shape[1] + s.head) * shape[2] * shape[3] + s.first, shape[3],
            s.width, s.at, static_cast<A>(s.constant) + static_cast<A>(s.slope) * lambda};
}

constexpr int64_t kAhead = 16;  ///< positions that are asked for before they are met

/// Asks memory for the kCount positions that are kAhead after `rows`: left to itself the processor
/// asks too late.
template <int64_t kCount, class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* rows, int64_t stride, int64_t width) {
    constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
    for (int64_t c = 0; c < width; c += kLine)
        for (int64_t p = kAhead; p < kAhead + kCount; ++p)
            __builtin_prefetch(rows + p * stride + c);
}

/// sums[p] = q · x_(j + p) for kCount positions.
template <int64_t kCount, class T, class A>
[[gnu::always_inline]] inline void dot_products(const SegmentRows<T, A>& x, const A* q, int64_t j,
                                                A (&sums)[kCount]) {
    const T* rows = x.data + j * x.stride;
    Vector<A> lanes[kCount] = {};
    int64_t c = 0;
    for (; c + kLanes<A> <= x.width; c += kLanes<A>) {
        const Vector<A> part = load_vector(q + c);
        for (int64_t p = 0; p < kCount; ++p)
            lanes[p] += part * load_vector(rows + p * x.stride + c);
    }
    sums_of_lanes<A, kCount>(lanes, sums);
    for (; c < x.width; ++c)
        for (int64_t p = 0; p < kCount; ++p)
            sums[p] += q[c] * static_cast<A>(rows[p * x.stride + c]);
}

/// scores[j] += factor q · x_j for the positions [begin, end).
template <class T, class A>
[[gnu::noinline]] void add_scores(const SegmentRows<T, A>& x, const A* q, A factor, int64_t begin,
                                  int64_t end, A* scores) {
    const auto add = [&]<int64_t kCount>(int64_t j) {
        A sums[kCount];
        fetch_ahead<kCount>(x.data + j * x.stride, x.stride, x.width);
        dot_products<kCount>(x, q, j, sums);
        for (int64_t p = 0; p < kCount; ++p) scores[j + p] += factor * sums[p];
    };
    int64_t j = begin;
    for (; j + 8 <= end; j += 8) add.template operator()<8>(j);
    for (; j < end; ++j) add.template operator()<1>(j);
}

/// out += sum over positions [begin, end) of factor probs[j] x_j.
template <class T, class A>
[[gnu::noinline]] void add_values(const SegmentRows<T, A>& x, const A* probs, int64_t begin,
                                  int64_t end, A* out) {
    int64_t j = begin;
    for (; j + 4 <= end; j += 4) {
        const T *x0 = x.data + j * x.stride, *x1 = x0 + x.stride, *x2 = x1 + x.stride,
                *x3 = x2 + x.stride;
        fetch_ahead<4>(x0, x.stride, x.width);
        const A p0 = x.factor * probs[j], p1 = x.factor * probs[j + 1],
                p2 = x.factor * probs[j + 2], p3 = x.factor * probs[j + 3];
#pragma omp simd
        for (int64_t c = 0; c < x.width; ++c)
            out[c] += p0 * static_cast<A>(x0[c]) + p1 * static_cast<A>(x1[c]) +
                      p2 * static_cast<A>(x2[c]) + p3 * static_cast<A>(x3[c]);
    }
    for (; j < end; ++j) {
        const T* row = x.data + j * x.stride;
        const A p = x.factor * probs[j];
#pragma omp simd
        for (int64_t c = 0; c < x.width; ++c) out[c] += p * static_cast<A>(row[c]);
    }
}

/// How the query heads are cut into tasks: whole groups where they are enough for all threads.
struct Cut {
    int64_t per_task;  ///< query heads of one group
    int64_t parts;     ///< tasks per group
};
Cut cut_heads(const CachedAttentionOptions& o, int64_t batch, int threads) {
    const int64_t group = o.n_head / o.n_kv_head, groups = batch * o.n_kv_head;
    const int64_t wanted = std::min(group, (threads + groups - 1) / groups);
    const int64_t per_task = (group + wanted - 1) / wanted;
    return {per_task, (group + per_task - 1) / per_task};
}

int64_t numbers_per_thread(const CachedAttentionOptions& o, const TensorType& cache) {
    const int64_t heads = o.n_head / o.n_kv_head;
    const int64_t numbers = heads * (cache.shape[2] + o.out_width + o.query_width);
    return (numbers + 15) / 16 * 16;
}

/// Query heads [first_head, first_head + heads) of one batch row, all of key/value head g.
template <class T>
class HeadsTask {
    using A = accumulator_t<T>;

  public:
    HeadsTask(const CachedAttentionOptions& o, const KernelCall& call, int64_t b,
              int64_t first_head, int64_t heads, A* space)
        : o_(o),
          call_(call),
          b_(b),
          first_(first_head),
          heads_(heads),
          capacity_(call.inputs[1].type.shape[2]),
          lambda_(o.has_lambda ? call.inputs.back().as<const A>()[0] : A{0}),
          scores_(space),
          out_(scores_ + heads * capacity_),
          q_(out_ + heads * o.out_width) {}

    void run(int64_t t) {
        const int64_t keys = call_.step.position + t + 1;
        const auto g = static_cast<size_t>(o_.kv_head_of(first_));
        load_queries(t);
        std::fill_n(scores_, heads_ * capacity_, A{0});
        std::fill_n(out_, heads_ * o_.out_width, A{0});
        for (const CacheSegment& s : o_.keys[g]) {
            const auto x = rows_of<T, A>(s, call_, b_, lambda_);
            for (int64_t begin = 0; begin < keys; begin += kBlock)
                for (int64_t h = 0; h < heads_; ++h)
                    add_scores(x, q_ + h * o_.query_width + s.at, x.factor, begin,
                               std::min(keys, begin + kBlock), scores_ + h * capacity_);
        }
        for (int64_t h = 0; h < heads_; ++h) {
            A* row = scores_ + h * capacity_;
            const A factor = A{1} / softmax_row(row, keys, A{1}, row).sum;
#pragma omp simd
            for (int64_t j = 0; j < keys; ++j) row[j] *= factor;
        }
        for (const CacheSegment& s : o_.values[g]) {
            const auto x = rows_of<T, A>(s, call_, b_, lambda_);
            for (int64_t begin = 0; begin < keys; begin += kBlock)
                for (int64_t h = 0; h < heads_; ++h)
                    add_values(x, scores_ + h * capacity_, begin, std::min(keys, begin + kBlock),
                               out_ + h * o_.out_width + s.at);
        }
        write(t);
    }

  private:
    void load_queries(int64_t t) {
        const Tensor& q = call_.inputs[0];
        const T* from =
            q.as<const T>() + (b_ * q.type.shape[1] + t) * q.columns() + first_ * o_.query_width;
        for (int64_t c = 0; c < heads_ * o_.query_width; ++c)
            q_[c] = static_cast<A>(o_.scale) * static_cast<A>(from[c]);
    }
    void write(int64_t t) {
        const Tensor& y = call_.outputs[0];
        T* to = y.as<T>() + (b_ * y.type.shape[1] + t) * y.columns() + first_ * o_.out_width;
        for (int64_t c = 0; c < heads_ * o_.out_width; ++c)
            store(to[c], out_[c], call_.accumulate[0] != 0);
    }

    const CachedAttentionOptions& o_;
    const KernelCall& call_;
    int64_t b_, first_, heads_, capacity_;
    A lambda_;
    A *scores_, *out_, *q_;
};

template <class T>
void clear_rows(const KernelCall& call, int64_t rows) {
    const Tensor& y = call.outputs[0];
    const int64_t seq_len = y.type.shape[1];
    if (call.accumulate[0] != 0) return;
    for (int64_t b = 0; b < y.type.shape[0]; ++b)
        std::fill_n(y.as<T>() + (b * seq_len + rows) * y.columns(), (seq_len - rows) * y.columns(),
                    T{});
}

template <class T>
void attend_by_tiles(const CachedAttentionOptions& o, const KernelCall& call, int64_t rows) {
    const int64_t bytes = PrefillTask<T>::bytes(o, call.inputs[1].type.shape[2]);
    parallel_tasks(call.inputs[0].type.shape[0] * o.n_head, [&](int64_t task, int thread) {
        PrefillTask<T>(o, call, task / o.n_head, task % o.n_head,
                       call.workspace.data() + thread * bytes)
            .run(rows);
    });
}

template <class T>
void attend(const CachedAttentionOptions& o, const KernelCall& call) {
    using A = accumulator_t<T>;
    const int64_t batch = call.inputs[0].type.shape[0];
    const int64_t rows = call.step.rows < 0 ? call.inputs[0].type.shape[1] : call.step.rows;
    CHECK(call.step.position + rows <= call.inputs[1].type.shape[2], "the cache is full");
    if (rows >= kFewestTiledRows && o.has_plain_segments()) {
        attend_by_tiles<T>(o, call, rows);
        clear_rows<T>(call, rows);
        return;
    }
    const int64_t space = numbers_per_thread(o, call.inputs[1].type);
    const int64_t group = o.n_head / o.n_kv_head;
    const Cut cut = cut_heads(o, batch, cpu_threads());
    const auto run_task = [&](int64_t task, int thread) {
        const int64_t part = task % cut.parts, g = task / cut.parts % o.n_kv_head;
        const int64_t first = part * cut.per_task, heads = std::min(cut.per_task, group - first);
        auto* memory = reinterpret_cast<A*>(call.workspace.data()) + thread * space;
        HeadsTask<T> one(o, call, task / cut.parts / o.n_kv_head, g * group + first, heads, memory);
        for (int64_t t = 0; t < rows; ++t) one.run(t);
    };
    const int64_t tasks = batch * o.n_kv_head * cut.parts;
    const int64_t numbers = (call.step.position + rows) * rows * batch * o.n_head * o.query_width;
    if (numbers >= kParallelNumbers)
        parallel_tasks(tasks, run_task);
    else
        for (int64_t task = 0; task < tasks; ++task) run_task(task, 0);
    clear_rows<T>(call, rows);
}

/// Formula by formula, in double.
template <class T>
struct Naive {
    const CachedAttentionOptions& o;
    const KernelCall& call;

    double weight(const CacheSegment& s) const {
        if (!o.has_lambda) return s.constant;
        return s.constant +
               s.slope * static_cast<double>(call.inputs.back().as<const accumulator_t<T>>()[0]);
    }
    double cached(const CacheSegment& s, int64_t b, int64_t j, int64_t c) const {
        const Tensor& x = call.inputs[1 + static_cast<size_t>(s.cache)];
        const Shape& shape = x.type.shape;
        return static_cast<double>(
            x.as<const T>()[((b * shape[1] + s.head) * shape[2] + j) * shape[3] + s.first + c]);
    }
    double score(int64_t b, int64_t t, int64_t h, int64_t j) const {
        const Tensor& q = call.inputs[0];
        double sum = 0;
        for (const CacheSegment& s : o.keys[static_cast<size_t>(o.kv_head_of(h))])
            for (int64_t c = 0; c < s.width; ++c) {
                const int64_t at = (b * q.type.shape[1] + t) * q.columns() + h * o.query_width;
                sum += weight(s) * static_cast<double>(q.as<const T>()[at + s.at + c]) *
                       cached(s, b, j, c);
            }
        return o.scale * sum;
    }
    std::vector<double> out(int64_t b, int64_t t, int64_t h) const {
        std::vector<double> probs, y(static_cast<size_t>(o.out_width), 0.0);
        double total = 0;
        for (int64_t j = 0; j <= call.step.position + t; ++j) {
            probs.push_back(std::exp(score(b, t, h, j) - score(b, t, h, 0)));
            total += probs.back();
        }
        for (const CacheSegment& s : o.values[static_cast<size_t>(o.kv_head_of(h))])
            for (size_t j = 0; j < probs.size(); ++j)
                for (int64_t c = 0; c < s.width; ++c)
                    y[static_cast<size_t>(s.at + c)] +=
                        weight(s) * probs[j] / total * cached(s, b, static_cast<int64_t>(j), c);
        return y;
    }
};

}  // namespace

int64_t CachedAttention::workspace_bytes(std::span<const TensorType> in, int threads) const {
    int64_t bytes = numbers_per_thread(options_, in[1]) *
                    static_cast<int64_t>(size_of(accumulator_of(in[0].dtype)));
    if (in[0].shape[1] >= kFewestTiledRows && options_.has_plain_segments())
        dispatch_float(in[0].dtype, [&]<class T>(T) {
            bytes = std::max(bytes, PrefillTask<T>::bytes(options_, in[1].shape[2]));
        });
    return threads * bytes;
}

void CachedAttention::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { attend<T>(options_, call); });
}

void CachedAttention::run_reference(const KernelCall& call) const {
    const Tensor& y = call.outputs[0];
    const int64_t rows = call.step.rows < 0 ? y.type.shape[1] : call.step.rows;
    dispatch_float(y.type.dtype, [&]<class T>(T) {
        const Naive<T> naive{options_, call};
        for (int64_t b = 0; b < y.type.shape[0]; ++b)
            for (int64_t t = 0; t < rows; ++t)
                for (int64_t h = 0; h < options_.n_head; ++h) {
                    const std::vector<double> out = naive.out(b, t, h);
                    T* to = y.as<T>() + (b * y.type.shape[1] + t) * y.columns() +
                            h * options_.out_width;
                    for (size_t c = 0; c < out.size(); ++c)
                        store(to[c], out[c], call.accumulate[0] != 0);
                }
        clear_rows<T>(call, rows);
    });
}

}  // namespace headroom

#include "core/ops/route.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

namespace headroom::cuda {
namespace {

/// Threads of the block that gives out the places of an expert.
constexpr int kPlaceThreads = 1024;

/// What Route knows between its kernels.
struct RouteScratch {
    double *sums, *squares, *entropies;  ///< of each token: logsumexp, its square; entropy
    double* means;                       ///< of each expert: sum of p
    int32_t* chosen;                     ///< [tokens, top_k]
    int32_t *asked, *starts;             ///< [experts], [experts + 1]
    int32_t* counts;                     ///< [experts, kPlaceThreads]

    RouteScratch(std::byte* at, int64_t tokens, int64_t experts, int64_t top_k)
        : sums(reinterpret_cast<double*>(at)),
          squares(sums + tokens),
          entropies(squares + tokens),
          means(entropies + tokens),
          chosen(reinterpret_cast<int32_t*>(means + experts)),
          asked(chosen + tokens * top_k),
          starts(asked + experts),
          counts(starts + experts + 1) {}

    static int64_t bytes(int64_t tokens, int64_t experts, int64_t top_k) {
        return (3 * tokens + experts) * int64_t{sizeof(double)} +
               (tokens * top_k + 2 * experts + 1 + experts * kPlaceThreads) *
                   int64_t{sizeof(int32_t)};
    }
};

/// One call of Route. All of its steps are by blocks whose threads share a token or an expert.
template <class A>
struct Routing {
    const A* logits;
    int64_t tokens, experts, top_k, places, rows;
    RouteScratch scratch;
    A* weights;
    int32_t *chosen, *slots, *sources, *offsets;
    A* stats;
    bool adds[6];

    Routing(const Call& call, const Route& op)
        : logits(call.inputs[0].as<const A>()),
          tokens(call.inputs[0].rows()),
          experts(call.inputs[0].columns()),
          top_k(op.options().top_k),
          places(op.places(tokens, experts)),
          rows(call.outputs[3].count()),
          scratch(call.workspace, tokens, experts, top_k),
          weights(call.outputs[0].as<A>()),
          chosen(call.outputs[1].as<int32_t>()),
          slots(call.outputs[2].as<int32_t>()),
          sources(call.outputs[3].as<int32_t>()),
          offsets(call.outputs[4].as<int32_t>()),
          stats(call.outputs[5].as<A>()) {
        for (int i = 0; i < 6; ++i) adds[i] = call.accumulate[static_cast<size_t>(i)] != 0;
    }

    /// The largest logit behind (value, expert) in the order of the choices; the same for all
    /// threads. Of logits that are no numbers any expert.
    __device__ int32_t next_choice(Block& b, const A* row, A value, int64_t expert) const {
        A best = -static_cast<A>(INFINITY);
        const auto follows = [&](int64_t e) {
            return expert < 0 || row[e] < value || (row[e] == value && e > expert);
        };
        for (int64_t e = b.thread(); e < experts; e += b.threads())
            if (follows(e) && row[e] > best) best = row[e];
        best = b.max(best);
        int32_t first = -static_cast<int32_t>(experts);  // of the smallest expert, negative
        for (int64_t e = b.thread(); e < experts; e += b.threads())
            if (follows(e) && row[e] == best && -static_cast<int32_t>(e) > first)
                first = -static_cast<int32_t>(e);
        first = b.max(first);
        return first == -static_cast<int32_t>(experts) ? 0 : -first;
    }

    __device__ void weigh(Block& b, int64_t token) const {
        const A* row = logits + token * experts;
        int32_t* choices = scratch.chosen + token * top_k;
        A value = 0, most = 0, of_chosen = 0;
        int64_t expert = -1;
        for (int64_t j = 0; j < top_k; ++j) {
            expert = next_choice(b, row, value, expert);
            value = row[expert];
            if (j == 0) most = value;
            of_chosen += exp(value - most);
            if (b.thread() == 0) choices[j] = static_cast<int32_t>(expert);
        }
        A total = 0, mean = 0;
        for (int64_t e = b.thread(); e < experts; e += b.threads()) {
            const A x = exp(row[e] - most);
            total += x;
            mean += x > A(0) ? x * (row[e] - most) : A(0);
        }
        total = b.sum(total);
        mean = b.sum(mean);
        if (b.thread() != 0) return;
        const A rest = log(total);
        const auto sum = static_cast<double>(most + rest);
        scratch.sums[token] = sum;
        scratch.squares[token] = sum * sum;
        scratch.entropies[token] = static_cast<double>(rest - mean / total);
        for (int64_t j = 0; j < top_k; ++j) {
            put(weights[token * top_k + j], exp(row[choices[j]] - most) / of_chosen, adds[0]);
            put(chosen[token * top_k + j], choices[j], adds[1]);
        }
    }

    __device__ void count(Block& b, int64_t expert) const {
        double mean = 0, asked = 0;
        for (int64_t t = b.thread(); t < tokens; t += b.threads())
            mean += exp(static_cast<double>(logits[t * experts + expert]) - scratch.sums[t]);
        for (int64_t a = b.thread(); a < tokens * top_k; a += b.threads())
            asked += scratch.chosen[a] == expert ? 1 : 0;
        mean = b.sum(mean);
        asked = b.sum(asked);
        if (b.thread() != 0) return;
        scratch.means[expert] = mean;
        scratch.asked[expert] = static_cast<int32_t>(asked);
    }

    __device__ void tell(Block& b) const {
        double squares = 0, entropies = 0;
        for (int64_t t = b.thread(); t < tokens; t += b.threads()) {
            squares += scratch.squares[t];
            entropies += scratch.entropies[t];
        }
        squares = b.sum(squares);
        entropies = b.sum(entropies);
        if (b.thread() == 0) {
            const auto n = static_cast<double>(tokens), k = static_cast<double>(top_k);
            double balance = 0;
            int32_t begin = 0;
            for (int64_t e = 0; e < experts; ++e) {
                const int32_t asked = scratch.asked[e];
                const double share = static_cast<double>(asked) / (n * k);
                balance += static_cast<double>(experts) * share * scratch.means[e] / n;
                put(stats[e], share, adds[5]);
                put(offsets[e], begin, adds[4]);
                scratch.starts[e] = begin;
                begin += static_cast<int32_t>(asked < places ? asked : places);
            }
            put(offsets[experts], begin, adds[4]);
            scratch.starts[experts] = begin;
            put(stats[experts], 1.0 - static_cast<double>(begin) / (n * k), adds[5]);
            put(stats[experts + 1], balance, adds[5]);
            put(stats[experts + 2], squares / n, adds[5]);
            put(stats[experts + 3], entropies / n, adds[5]);
        }
        b.sync();
        for (int64_t r = scratch.starts[experts] + b.thread(); r < rows; r += b.threads())
            put(sources[r], -1, adds[3]);
    }

    /// Each thread has a stretch of the assignments, and counts those before it.
    __device__ void place(Block& b, int64_t expert) const {
        int32_t* counts = scratch.counts + expert * kPlaceThreads;
        const int64_t all = tokens * top_k;
        const int64_t begin = all * b.thread() / b.threads();
        const int64_t end = all * (b.thread() + 1) / b.threads();
        int32_t own = 0;
        for (int64_t a = begin; a < end; ++a) own += scratch.chosen[a] == expert ? 1 : 0;
        counts[b.thread()] = own;
        b.sync();
        int64_t rank = 0;
        for (int i = 0; i < b.thread(); ++i) rank += counts[i];
        for (int64_t a = begin; a < end; ++a) {
            if (scratch.chosen[a] != expert) continue;
            const bool taken = rank < places;
            const auto slot = static_cast<int32_t>(scratch.starts[expert] + rank++);
            put(slots[a], taken ? slot : -1, adds[2]);
            if (taken) put(sources[slot], static_cast<int32_t>(a), adds[3]);
        }
    }
};

template <class A>
void route(const Call& call, const Route& op) {
    const Routing<A> routing(call, op);
    for_rows(call.stream, routing.tokens, 32,
             [=] __device__(Block & b, int64_t token) { routing.weigh(b, token); });
    for_rows<1024>(call.stream, routing.experts, 1024,
                   [=] __device__(Block & b, int64_t expert) { routing.count(b, expert); });
    for_rows<1024>(call.stream, 1, 1024, [=] __device__(Block & b, int64_t) { routing.tell(b); });
    for_rows<kPlaceThreads>(
        call.stream, routing.experts, kPlaceThreads,
        [=] __device__(Block & b, int64_t expert) { routing.place(b, expert); });
}

/// A warp for each token's logits.
template <class A>
struct UnrouteRow {
    const A *logits, *weights, *shares, *dweights;
    const int32_t* chosen;
    A* dlogits;
    int64_t experts, top_k;
    A balance, z;  ///< factors over the tokens
    bool accumulate;

    __device__ void operator()(Block& b, int64_t token) const {
        const A* row = logits + token * experts;
        A most = -static_cast<A>(INFINITY), total = 0, mean = 0, along = 0;
        for (int64_t e = b.thread(); e < experts; e += b.threads())
            most = row[e] > most ? row[e] : most;
        most = b.max(most);
        for (int64_t e = b.thread(); e < experts; e += b.threads()) {
            const A x = exp(row[e] - most);
            total += x;
            mean += x * balance * shares[e];
        }
        total = b.sum(total);
        mean = b.sum(mean);
        const A squared = A(2) * z * (most + log(total));
        for (int64_t j = token * top_k; j < (token + 1) * top_k; ++j)
            along += weights[j] * dweights[j];
        for (int64_t e = b.thread(); e < experts; e += b.threads()) {
            A change = exp(row[e] - most) / total * (balance * shares[e] - mean / total + squared);
            for (int64_t j = token * top_k; j < (token + 1) * top_k; ++j)
                if (chosen[j] == e) change += weights[j] * (dweights[j] - along);
            put(dlogits[token * experts + e], change, accumulate);
        }
    }
};

template <class A>
void unroute(const Call& call, const RouteOptions& options) {
    const Tensor& logits = call.inputs[0];
    const auto tokens = static_cast<A>(logits.rows());
    const int64_t experts = logits.columns();
    for_rows(call.stream, logits.rows(), 32,
             UnrouteRow<A>{logits.as<const A>(), call.inputs[1].as<const A>(),
                           call.inputs[3].as<const A>(), call.inputs[4].as<const A>(),
                           call.inputs[2].as<const int32_t>(), call.outputs[0].as<A>(), experts,
                           options.top_k,
                           static_cast<A>(options.balance) * static_cast<A>(experts) / tokens,
                           static_cast<A>(options.z) / tokens, call.accumulate[0] != 0});
}

}  // namespace

static Kernel route_kernel(const Op& op, Types inputs) {
    const Route route_op = dynamic_cast<const Route&>(op);
    return {[route_op](const Call& call) {
                dispatch_accumulator(call.inputs[0].type.dtype,
                                     [&]<class A>(A) { route<A>(call, route_op); });
            },
            RouteScratch::bytes(inputs[0].rows(), inputs[0].columns(), route_op.options().top_k)};
}

static Kernel route_backward_kernel(const Op& op, Types) {
    const RouteOptions options = dynamic_cast<const RouteBackward&>(op).options();
    return [options](const Call& call) {
        dispatch_accumulator(call.inputs[0].type.dtype,
                             [&]<class A>(A) { unroute<A>(call, options); });
    };
}

const RegisteredKernel kRouteKernels[] = {{"route", route_kernel},
                                          {"route_backward", route_backward_kernel}};

}  // namespace headroom::cuda

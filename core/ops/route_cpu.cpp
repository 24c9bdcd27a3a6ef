#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/route.h"
#include "core/ops/route_rows.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

/// The k largest of a row; of equal ones those that come first.
template <class A>
void choose(const A* row, int64_t experts, int64_t top_k, int32_t* chosen) {
    for (int64_t j = 0; j < top_k; ++j) {
        int64_t best = -1;
        for (int64_t e = 0; e < experts; ++e) {
            const bool taken = std::find(chosen, chosen + j, e) != chosen + j;
            if (!taken && (best < 0 || row[e] > row[best])) best = e;
        }
        chosen[j] = static_cast<int32_t>(best);
    }
}

/// One call of Route. The softmax of the rows is made in parallel, the places are given out in the
/// order of the tokens.
template <class A>
class Routing {
  public:
    Routing(const KernelCall& call, const Route& op)
        : call_(call),
          logits_(call.inputs[0].as<const A>()),
          tokens_(call.inputs[0].rows()),
          experts_(call.inputs[0].columns()),
          top_k_(op.options().top_k),
          places_(op.places(tokens_, experts_)),
          work_(call.workspace.data(), tokens_, experts_, top_k_) {}

    void run() {
        parallel_for(work_.blocks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block) weigh_block(block);
        });
        give_places();
        tell();
    }

  private:
    bool adds(size_t output) const { return call_.accumulate[output] != 0; }
    int32_t* whole(size_t output) const { return call_.outputs[output].as<int32_t>(); }

    void weigh_block(int64_t block) {
        double* sums = work_.sums + block * work_.numbers;
        std::fill_n(sums, work_.numbers, 0.0);
        const int64_t end = std::min(tokens_, (block + 1) * kRouteBlock);
        for (int64_t token = block * kRouteBlock; token < end; ++token) weigh(token, sums);
    }

    void weigh(int64_t token, double* sums) {
        const A* row = logits_ + token * experts_;
        int32_t* chosen = work_.chosen + token * top_k_;
        choose(row, experts_, top_k_, chosen);
        const A most = row[chosen[0]];
        A total = 0, of_chosen = 0, mean = 0;
        for (int64_t e = 0; e < experts_; ++e) total += std::exp(row[e] - most);
        for (int64_t e = 0; e < experts_; ++e) {
            const A p = std::exp(row[e] - most) / total;
            sums[e] += static_cast<double>(p);
            mean += p * (row[e] - most);
        }
        const A sum = most + std::log(total);
        sums[experts_] += static_cast<double>(sum) * static_cast<double>(sum);
        sums[experts_ + 1] += static_cast<double>(std::log(total) - mean);
        for (int64_t j = 0; j < top_k_; ++j) of_chosen += std::exp(row[chosen[j]] - most);
        for (int64_t j = 0; j < top_k_; ++j) {
            store(call_.outputs[0].as<A>()[token * top_k_ + j],
                  std::exp(row[chosen[j]] - most) / of_chosen, adds(0));
            store(whole(1)[token * top_k_ + j], chosen[j], adds(1));
        }
    }

    /// In the order of the tokens, until an expert has no place left.
    void give_places() {
        int32_t *left = work_.counts, *next = left + experts_;
        const int64_t assignments = tokens_ * top_k_;
        std::fill_n(left, experts_, 0);
        for (int64_t a = 0; a < assignments; ++a) ++left[work_.chosen[a]];
        int32_t begin = 0;
        for (int64_t e = 0; e < experts_; ++e) {
            shares_[static_cast<size_t>(e)] =
                static_cast<double>(left[e]) / static_cast<double>(assignments);
            left[e] = std::min(left[e], static_cast<int32_t>(places_));
            store(whole(4)[e], begin, adds(4));
            next[e] = begin;
            begin += left[e];
        }
        store(whole(4)[experts_], begin, adds(4));
        filled_ = begin;
        for (int64_t a = 0; a < assignments; ++a) {
            const int32_t e = work_.chosen[a];
            const bool taken = left[e] > 0;
            store(whole(2)[a], taken ? next[e] : -1, adds(2));
            if (!taken) continue;
            store(whole(3)[next[e]++], static_cast<int32_t>(a), adds(3));
            --left[e];
        }
        for (int64_t r = filled_; r < call_.outputs[3].count(); ++r)
            store(whole(3)[r], -1, adds(3));
    }

    void tell() {
        const auto tokens = static_cast<double>(tokens_), experts = static_cast<double>(experts_);
        double balance = 0, z = 0, entropy = 0;
        for (int64_t block = 1; block < work_.blocks; ++block)
            for (int64_t i = 0; i < work_.numbers; ++i)
                work_.sums[i] += work_.sums[block * work_.numbers + i];
        A* stats = call_.outputs[5].as<A>();
        for (int64_t e = 0; e < experts_; ++e) {
            const double share = shares_[static_cast<size_t>(e)];
            balance += experts * share * work_.sums[e] / tokens;
            store(stats[e], share, adds(5));
        }
        z = work_.sums[experts_] / tokens;
        entropy = work_.sums[experts_ + 1] / tokens;
        const double dropped =
            1.0 - static_cast<double>(filled_) / (tokens * static_cast<double>(top_k_));
        const double numbers[] = {dropped, balance, z, entropy};
        for (int64_t i = 0; i < kRouteStats; ++i) store(stats[experts_ + i], numbers[i], adds(5));
    }

    const KernelCall& call_;
    const A* logits_;
    int64_t tokens_, experts_, top_k_, places_;
    RouteWorkspace work_;
    int64_t filled_ = 0;
    std::array<double, kMostRouted> shares_{};
};

/// The specification: every token looks at all before it.
template <class A>
void route_reference(const KernelCall& call, const Route& op) {
    const A* logits = call.inputs[0].as<const A>();
    const int64_t tokens = call.inputs[0].rows(), experts = call.inputs[0].columns();
    const int64_t top_k = op.options().top_k, places = op.places(tokens, experts);
    const auto n = static_cast<double>(tokens);
    std::vector<std::vector<int64_t>> rows_of(static_cast<size_t>(experts));  // their assignments
    std::vector<double> asked(static_cast<size_t>(experts)), mean(asked);
    std::vector<int64_t> chosen;
    double z = 0, entropy = 0, dropped = 0;
    for (int64_t t = 0; t < tokens; ++t) {
        std::vector<double> p;
        double total = 0, of_chosen = 0;
        for (int64_t e = 0; e < experts; ++e)
            total += std::exp(static_cast<double>(logits[t * experts + e]));
        for (int64_t e = 0; e < experts; ++e) {
            const auto r = static_cast<double>(logits[t * experts + e]);
            p.push_back(std::exp(r) / total);
            mean[static_cast<size_t>(e)] += p.back() / n;
            entropy -= p.back() * (r - std::log(total)) / n;
        }
        z += std::log(total) * std::log(total) / n;
        std::vector<int64_t> order(static_cast<size_t>(experts));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return logits[t * experts + a] > logits[t * experts + b];
        });
        for (int64_t j = 0; j < top_k; ++j) of_chosen += p[static_cast<size_t>(order[j])];
        for (int64_t j = 0; j < top_k; ++j) {
            const auto e = static_cast<size_t>(order[static_cast<size_t>(j)]);
            const int64_t a = t * top_k + j;
            chosen.push_back(static_cast<int64_t>(e));
            asked[e] += 1;
            store(call.outputs[0].as<A>()[a], p[e] / of_chosen, call.accumulate[0] != 0);
            store(call.outputs[1].as<int32_t>()[a], static_cast<int32_t>(e),
                  call.accumulate[1] != 0);
            if (std::ssize(rows_of[e]) < places)
                rows_of[e].push_back(a);
            else
                dropped += 1;
        }
    }
    std::vector<int32_t> slots(static_cast<size_t>(tokens * top_k), -1);
    std::vector<int32_t> sources, offsets{0};
    for (const std::vector<int64_t>& rows : rows_of) {
        for (const int64_t a : rows) {
            slots[static_cast<size_t>(a)] = static_cast<int32_t>(sources.size());
            sources.push_back(static_cast<int32_t>(a));
        }
        offsets.push_back(static_cast<int32_t>(sources.size()));
    }
    sources.resize(static_cast<size_t>(call.outputs[3].count()), -1);
    std::vector<double> stats;
    double balance = 0;
    for (size_t e = 0; e < asked.size(); ++e) {
        stats.push_back(asked[e] / (n * static_cast<double>(top_k)));
        balance += static_cast<double>(experts) * stats.back() * mean[e];
    }
    stats.insert(stats.end(), {dropped / (n * static_cast<double>(top_k)), balance, z, entropy});
    const auto write = [&](size_t output, auto* to, const auto& numbers) {
        for (size_t i = 0; i < numbers.size(); ++i)
            store(to[i], numbers[i], call.accumulate[output] != 0);
    };
    write(2, call.outputs[2].as<int32_t>(), slots);
    write(3, call.outputs[3].as<int32_t>(), sources);
    write(4, call.outputs[4].as<int32_t>(), offsets);
    write(5, call.outputs[5].as<A>(), stats);
}

/// The gradient of one token's logits, in double.
template <class A>
void unroute_rows(const KernelCall& call, const RouteOptions& options, int64_t begin, int64_t end) {
    const Tensor& logits = call.inputs[0];
    const int64_t experts = logits.columns(), top_k = options.top_k;
    const auto n = static_cast<double>(logits.rows());
    const A *shares = call.inputs[3].as<const A>(), *weights = call.inputs[1].as<const A>();
    const A* dweights = call.inputs[4].as<const A>();
    const auto* chosen = call.inputs[2].as<const int32_t>();
    const double balance = options.balance * static_cast<double>(experts) / n;
    for (int64_t t = begin; t < end; ++t) {
        const A* row = logits.as<const A>() + t * experts;
        const auto most = static_cast<double>(*std::max_element(row, row + experts));
        double total = 0, mean = 0, along = 0;
        for (int64_t e = 0; e < experts; ++e) {
            const double x = std::exp(static_cast<double>(row[e]) - most);
            total += x;
            mean += x * balance * static_cast<double>(shares[e]);
        }
        const double z = 2.0 * options.z * (most + std::log(total)) / n;
        for (int64_t j = t * top_k; j < (t + 1) * top_k; ++j)
            along += static_cast<double>(weights[j]) * static_cast<double>(dweights[j]);
        for (int64_t e = 0; e < experts; ++e) {
            const double p = std::exp(static_cast<double>(row[e]) - most) / total;
            double change = p * (balance * static_cast<double>(shares[e]) - mean / total + z);
            for (int64_t j = t * top_k; j < (t + 1) * top_k; ++j)
                if (chosen[j] == e)
                    change += static_cast<double>(weights[j]) *
                              (static_cast<double>(dweights[j]) - along);
            store(call.outputs[0].as<A>()[t * experts + e], change, call.accumulate[0] != 0);
        }
    }
}

}  // namespace

void Route::run(const KernelCall& call) const {
    dispatch_accumulator(call.inputs[0].type.dtype,
                         [&]<class A>(A) { Routing<A>(call, *this).run(); });
}
void Route::run_reference(const KernelCall& call) const {
    dispatch_accumulator(call.inputs[0].type.dtype,
                         [&]<class A>(A) { route_reference<A>(call, *this); });
}

void RouteBackward::run(const KernelCall& call) const {
    dispatch_accumulator(call.inputs[0].type.dtype, [&]<class A>(A) {
        parallel_for(call.inputs[0].rows(), 64, [&](int64_t begin, int64_t end) {
            unroute_rows<A>(call, options_, begin, end);
        });
    });
}

}  // namespace headroom

#include <algorithm>

#include <fmt/format.h>

#include "core/op_cases/op_case_list.h"
#include "core/ops/expert_linear.h"
#include "core/ops/expert_rows.h"
#include "core/ops/route.h"

namespace headroom {
namespace {

/// Who computes whom in a case: token t goes to expert (3 t + j) mod E as its choice j, but the
/// last expert gets nobody, and each takes so many.
struct CaseRoutes {
    int64_t batch, length, experts, top_k, places;
    std::vector<double> chosen, slots, sources, offsets;

    CaseRoutes(int64_t batch_, int64_t length_, int64_t experts_, int64_t top_k_, int64_t places_)
        : batch(batch_), length(length_), experts(experts_), top_k(top_k_), places(places_) {
        for (int64_t a = 0; a < tokens() * top_k; ++a)
            chosen.push_back(static_cast<double>((3 * (a / top_k) + a % top_k) % (experts - 1)));
        slots.assign(chosen.size(), -1);
        for (int64_t e = 0; e < experts; ++e) {
            offsets.push_back(static_cast<double>(sources.size()));
            int64_t left = places;
            for (size_t a = 0; a < chosen.size(); ++a) {
                if (static_cast<int64_t>(chosen[a]) != e || left-- <= 0) continue;
                slots[a] = static_cast<double>(sources.size());
                sources.push_back(static_cast<double>(a));
            }
        }
        offsets.push_back(static_cast<double>(sources.size()));
        sources.resize(static_cast<size_t>(rows()), -1);
    }

    int64_t tokens() const { return batch * length; }
    int64_t rows() const { return std::min(tokens() * top_k, experts * places); }
    Shape choices() const { return {batch, length, top_k}; }
};

/// Nothing is dropped in training size.
CaseRoutes case_routes(const OpCaseList& c) {
    const TimedSizes& t = c.timed;
    return c.small ? CaseRoutes(3, 47, 5, 2, 61)
                   : CaseRoutes(t.batch_size, t.seq_len, 8, 2, t.batch_size * t.seq_len);
}

/// Logits whose order small changes leave alone.
std::vector<double> distinct_logits(int64_t tokens, int64_t experts) {
    std::vector<double> logits;
    for (int64_t i = 0; i < tokens * experts; ++i) {
        const int64_t t = i / experts, e = i % experts;
        logits.push_back(0.4 * static_cast<double>((7 * t + 3 * e) % experts) - 0.7 +
                         0.01 * static_cast<double>((11 * t + e) % 13));
    }
    return logits;
}

void add_route_cases(OpCaseList& c) {
    const Shape shape = c.small ? Shape{3, 47, 5} : Shape{c.timed.batch_size, c.timed.seq_len, 8};
    CaseInput logits = c.table("logits", shape, 0, 1);
    if (c.small) logits.given = distinct_logits(3 * 47, 5);
    c.add("route", Route({.top_k = 2}), {logits}).refused = {{0, c.A({3, 1})},
                                                             {0, {DType::kI32, shape}}};
    if (!c.small) return;
    c.add("route with places", Route({.top_k = 2, .capacity = 0.8}), {logits});
    CaseInput drawn = c.table("logits", {1, 333, 7}, 0, 2);
    drawn.differentiate = false;
    c.add("route to one", Route({.top_k = 1, .capacity = 1.25}), {drawn});
    c.add("route to all", Route({.top_k = 7}), {drawn});
    drawn.type.shape = {1, 33, 131};
    c.add("route to many", Route({.top_k = 5, .capacity = 0.3}), {drawn});
}

/// The two losses are in the gradient alone.
void add_route_backward_cases(OpCaseList& c) {
    const CaseRoutes routes = case_routes(c);
    std::vector<CaseInput> inputs{
        c.table("logits", {routes.batch, routes.length, routes.experts}, 0, 1),
        c.table("weights", routes.choices(), 0.5, 0.1),
        c.whole("chosen", routes.choices(), routes.chosen),
        c.table("stats", {routes.experts + kRouteStats}, 0.2, 0.05),
        c.table("dweights", routes.choices(), 0, 1)};
    for (CaseInput& input : inputs) input.differentiate = false;
    c.add("losses of a router", RouteBackward({.top_k = 2, .balance = 0.5, .z = 0.25}),
          std::move(inputs));
}

void add_row_cases(OpCaseList& c) {
    const CaseRoutes routes = case_routes(c);
    const int64_t width = c.small ? 67 : c.timed.d_model;
    const CaseInput slots = c.whole("slots", routes.choices(), routes.slots);
    const CaseInput sources = c.whole("sources", {routes.rows()}, routes.sources);
    c.add("rows of experts", ExpertRows(),
          {c.normal("x", {routes.batch, routes.length, width}), slots, sources})
        .refused = {{0, c.T({3, 46, 67})}, {1, c.T({3, 47, 2})}, {2, c.T({9})}};
    c.add("sum of experts", ExpertSum(),
          {c.normal("x", {routes.rows(), width}), c.table("weights", routes.choices(), 0.5, 0.2),
           slots, sources})
        .refused = {{0, c.T({9, 67})}, {1, c.A({3, 47, 3})}, {2, c.T({3, 47, 2})}};
}

void add_expert_maps(OpCaseList& c, const std::string& name, const CaseRoutes& routes, int64_t in,
                     int64_t out) {
    const CaseInput offsets = c.whole("offsets", {routes.experts + 1}, routes.offsets);
    std::vector<CaseInput> inputs{c.normal("x", {routes.rows(), in}), offsets};
    for (int64_t e = 0; e < routes.experts; ++e) {
        CaseInput weight = c.normal(fmt::format("w{}", e), {in, out});
        weight.weight = true;
        inputs.push_back(std::move(weight));
    }
    OpCase& linear = c.add(name, ExpertLinear(), std::move(inputs));
    linear.refused = {{0, c.T({routes.rows(), in + 1})}, {3, c.T({in, out + 1})}};
}

void add_expert_biases(OpCaseList& c) {
    const CaseRoutes routes = case_routes(c);
    const int64_t width = c.small ? 67 : c.timed.d_model;
    std::vector<CaseInput> inputs{c.normal("x", {routes.rows(), width}),
                                  c.whole("offsets", {routes.experts + 1}, routes.offsets)};
    for (int64_t e = 0; e < routes.experts; ++e)
        inputs.push_back(c.table(fmt::format("b{}", e), {width}, 0, 1));
    c.add("biases of experts", ExpertBias(), std::move(inputs)).refused = {{2, c.A({width + 1})}};
}

}  // namespace

void add_expert_cases(OpCaseList& c) {
    add_route_cases(c);
    add_route_backward_cases(c);
    add_row_cases(c);
    const CaseRoutes routes = case_routes(c);
    add_expert_maps(c, "linear maps of experts", routes, c.small ? 11 : c.timed.d_model,
                    c.small ? 67 : c.timed.d_ff);
    if (c.small) add_expert_maps(c, "linear maps of few rows", {1, 3, 4, 2, 3}, 9, 21);
    add_expert_biases(c);
}

}  // namespace headroom

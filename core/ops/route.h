#pragma once

#include "core/graph/op.h"

namespace headroom {

/// How tokens find their experts.
struct RouteOptions {
    int64_t top_k = 1;
    /// An expert has ceil(capacity top_k N / E) places; 0: as many as are asked for.
    double capacity = 0;
    /// Factors of the two losses in the gradient of the logits.
    double balance = 0, z = 0;
};

/// What stands in the statistics behind the shares of the experts.
enum class RouteStat { kDropped, kBalance, kZ, kEntropy };
inline constexpr int64_t kRouteStats = 4;
inline constexpr int64_t kMostRouted = 256;  ///< experts

/// Which experts compute a token, and where (Shazeer et al. 2017, arXiv:1701.06538; Fedus et al.
/// 2021, arXiv:2101.03961, section 2.2, and Zoph et al. 2022, arXiv:2202.08906, equation 5, for the
/// losses). N tokens, p = softmax(r) over the E experts:
///     a token goes to the k experts of the largest r (of equal ones those that come first), with
///     weights p_e / (the sum of p over these k);
///     in the order of the tokens every expert takes as many as it has places; what comes later is
///     dropped, and its weight is lost;
///     balance = E sum_e f_e P_e, f_e the share of the k N assignments (the dropped ones too), P_e
///     the mean of p_e; z = mean of logsumexp(r)^2.
/// logits (..., E) in the accumulator type. The outputs, R being k N or, if that is less, all
/// places of all experts:
///     weights (..., k), in the accumulator type;
///     chosen (..., k), int32: the experts, the likeliest first;
///     slots (..., k), int32: each assignment's row among the R that are sorted by expert, or -1;
///     sources [R], int32: the assignment (token k + choice) of each row, or -1 behind the last;
///     offsets [E + 1], int32: where the rows of each expert begin;
///     stats [E + 4]: f_e, then of RouteStat the share of the assignments that are dropped, the
///     two losses, and the mean entropy of p in nats.
/// The gradient of the logits is that through the weights, and that of balance and z times their
/// factors, f_e being constant.
class Route : public Op {
  public:
    explicit Route(RouteOptions options) : options_(options) {}

    std::string_view name() const override { return "route"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const RouteOptions& options() const { return options_; }
    /// Of each expert, for so many tokens; never more than the tokens.
    int64_t places(int64_t tokens, int64_t experts) const;

  private:
    RouteOptions options_;
};

/// With g_e = (balance E f_e + 2 z logsumexp(r)) / N and w the weights:
///     dr_e = p_e (g_e - sum_i balance E f_i / N p_i), and of a chosen expert
///     + w_e (dw_e - sum_j w_j dw_j).
/// logits, weights, chosen, stats, dweights -> dlogits like logits.
class RouteBackward : public Op {
  public:
    explicit RouteBackward(RouteOptions options) : options_(options) {}

    std::string_view name() const override { return "route_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;

    const RouteOptions& options() const { return options_; }

  private:
    RouteOptions options_;
};

}  // namespace headroom

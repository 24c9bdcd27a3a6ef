#include "core/lab/mlp_stack.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/cpu/cpu_context.h"
#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"
#include "core/lab/orthogonal.h"
#include "core/lab/random_numbers.h"
#include "core/model/mlp_activation.h"
#include "core/ops/activation.h"

namespace headroom {
namespace {

constexpr int64_t kGrain = 1 << 14;

/// c [m, n] (+)= op(a) op(b), all packed.
struct Product {
    int64_t m, n, k;
    bool a_transposed = false, b_transposed = false, accumulate = false;

    void run(const std::vector<float>& a, const std::vector<float>& b,
             std::vector<float>& c) const {
        c.resize(static_cast<size_t>(m * n));
        const GemmShape shape{
            m, n,         k, a_transposed, b_transposed, a_transposed ? m : k, b_transposed ? k : n,
            n, accumulate};
        gemm(shape, a.data(), b.data(), c.data());
    }
};

/// An operator's CPU kernel on numbers of one count.
void run_op(const Op& op, std::initializer_list<const std::vector<float>*> inputs,
            std::initializer_list<std::vector<float>*> outputs) {
    const auto tensor = [](const std::vector<float>& values) {
        // KernelCall knows no tensors to be read only.
        return Tensor{const_cast<float*>(values.data()), {DType::kF32, {std::ssize(values)}}};
    };
    std::vector<Tensor> read, written;
    for (const auto* values : inputs) read.push_back(tensor(*values));
    for (const auto* values : outputs) written.push_back(tensor(*values));
    const std::vector<uint8_t> accumulate(written.size(), 0);
    CpuContext cpu;
    op.run({read, written, accumulate, {}, StepContext{}, cpu});
}

/// hidden = act(gate or up) [* up].
void activate_all(MlpKind kind, const std::vector<float>& up, const std::vector<float>& gate,
                  std::vector<float>& hidden) {
    hidden.resize(up.size());
    const ActivationKind act = activation_of(kind);
    if (gate.empty())
        run_op(Activation(act), {&up}, {&hidden});
    else
        run_op(GatedActivation(act), {&gate, &up}, {&hidden});
}

/// dhidden becomes dup; dgate is filled where there is a gate.
void activate_all_backward(MlpKind kind, const std::vector<float>& up,
                           const std::vector<float>& gate, std::vector<float>& dhidden,
                           std::vector<float>& dgate) {
    dgate.resize(gate.size());
    const ActivationKind act = activation_of(kind);
    if (gate.empty())
        run_op(ActivationBackward(act), {&up, &dhidden}, {&dhidden});
    else
        run_op(GatedActivationBackward(act, true, true), {&gate, &up, &dhidden},
               {&dgate, &dhidden});
}

double scalar_product(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

}  // namespace

MlpStack::MlpStack(const StackShape& shape, uint64_t seed)
    : shape_(shape), gated_(is_gated(shape.kind)), blocks_(static_cast<size_t>(shape.depth)) {
    const int64_t d = shape.d_model, f = shape.d_ff;
    const double deviation = 1 / std::sqrt(static_cast<double>(f));
    for (int64_t block = 0; block < shape.depth; ++block) {
        const auto name = [&](const char* matrix) { return fmt::format("{}.{}", block, matrix); };
        weights_.push_back(normal_floats(name("up"), seed, d, f, deviation));
        if (gated_) weights_.push_back(normal_floats(name("gate"), seed, d, f, deviation));
        weights_.push_back(normal_floats(name("down"), seed, f, d, deviation));
    }
    for (const auto& matrix : weights_) {
        first_.emplace_back(matrix.size());
        second_.emplace_back(matrix.size());
    }
}

std::vector<float> MlpStack::forward(const std::vector<float>& x) {
    const int64_t d = shape_.d_model, f = shape_.d_ff, n = std::ssize(x) / d;
    std::vector<float> y = x;
    for (int64_t b = 0; b < shape_.depth; ++b) {
        Block& block = blocks_[static_cast<size_t>(b)];
        const auto* w = &weights_[static_cast<size_t>(b * matrices())];
        block.x = y;
        Product{n, f, d}.run(y, w[0], block.up);
        if (gated_) Product{n, f, d}.run(y, w[1], block.gate);
        activate_all(shape_.kind, block.up, block.gate, block.hidden);
        Product{n, d, f, false, false, shape_.skip}.run(block.hidden, w[gated_ ? 2 : 1], y);
    }
    return y;
}

/// dy of the block's output becomes that of its input:
/// ddown = hidden^T dy, dhidden = dy down^T, dup = x^T dup_pre, dx = dup_pre up^T (+ dy).
void MlpStack::backward(int64_t b, std::vector<float>& dy,
                        std::vector<std::vector<float>>& gradients) const {
    const Block& block = blocks_[static_cast<size_t>(b)];
    const int64_t d = shape_.d_model, f = shape_.d_ff, n = std::ssize(dy) / d;
    const auto* w = &weights_[static_cast<size_t>(b * matrices())];
    auto* g = &gradients[static_cast<size_t>(b * matrices())];
    std::vector<float> dhidden, dgate;
    Product{f, d, n, true}.run(block.hidden, dy, g[gated_ ? 2 : 1]);
    Product{n, f, d, false, true}.run(dy, w[gated_ ? 2 : 1], dhidden);
    activate_all_backward(shape_.kind, block.up, block.gate, dhidden, dgate);
    Product{d, f, n, true}.run(block.x, dhidden, g[0]);
    if (gated_) Product{d, f, n, true}.run(block.x, dgate, g[1]);
    if (b == 0) return;  // nobody asks for the gradient of x
    Product{n, d, f, false, true, shape_.skip}.run(dhidden, w[0], dy);
    if (gated_) Product{n, d, f, false, true, true}.run(dgate, w[1], dy);
}

std::vector<std::vector<float>> MlpStack::gradients(const std::vector<float>& x,
                                                    const std::vector<float>& y, double* loss) {
    std::vector<float> dy = forward(x);
    const double scale = scalar_product(y, y);
    for (size_t i = 0; i < dy.size(); ++i) dy[i] -= y[i];
    if (loss != nullptr) *loss = scalar_product(dy, dy) / scale;
    for (float& value : dy) value = static_cast<float>(2 * value / scale);
    std::vector<std::vector<float>> gradients(weights_.size());
    for (int64_t b = shape_.depth - 1; b >= 0; --b) backward(b, dy, gradients);
    return gradients;
}

double MlpStack::train_step(const std::vector<float>& x, const std::vector<float>& y,
                            const StackOptimizer& optimizer) {
    double loss = 0;
    std::vector<std::vector<float>> g = gradients(x, y, &loss);
    double squares = 0;
    for (const auto& matrix : g) squares += scalar_product(matrix, matrix);
    const double clip = std::min(1.0, optimizer.grad_clip / (std::sqrt(squares) + 1e-12));
    for (auto& matrix : g)
        for (float& value : matrix) value *= static_cast<float>(clip);
    const double share = static_cast<double>(step_) / static_cast<double>(optimizer.steps);
    const double lr = optimizer.lr / 2 * (1 + std::cos(std::numbers::pi * share));
    ++step_;
    const auto keep = static_cast<float>(1 - lr * optimizer.weight_decay);
    for (size_t m = 0; m < weights_.size(); ++m) {
        for (float& weight : weights_[m]) weight *= keep;
        if (optimizer.update == StackUpdate::kAdamW)
            adamw_update(m, g[m], lr, optimizer);
        else
            muon_update(m, g[m], lr, optimizer.momentum);
    }
    return loss;
}

void MlpStack::adamw_update(size_t m, const std::vector<float>& gradient, double lr,
                            const StackOptimizer& optimizer) {
    const double fix1 = 1 - std::pow(optimizer.beta1, step_),
                 fix2 = 1 - std::pow(optimizer.beta2, step_);
    const auto b1 = static_cast<float>(optimizer.beta1), b2 = static_cast<float>(optimizer.beta2);
    const auto rate = static_cast<float>(lr / fix1), root = static_cast<float>(1 / std::sqrt(fix2));
    parallel_for(std::ssize(gradient), kGrain, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            first_[m][i] = b1 * first_[m][i] + (1 - b1) * gradient[i];
            second_[m][i] = b2 * second_[m][i] + (1 - b2) * gradient[i] * gradient[i];
            weights_[m][i] -= rate * first_[m][i] / (std::sqrt(second_[m][i]) * root + 1e-8f);
        }
    });
}

/// Nesterov's momentum, made orthogonal. Matrices to more numbers than they read step by
/// sqrt(out / in) more, as Jordan's Muon does: what they give moves by as much per number.
void MlpStack::muon_update(size_t m, const std::vector<float>& gradient, double lr,
                           double momentum) {
    const auto kept = static_cast<float>(momentum);
    std::vector<float> ahead(gradient.size());
    for (size_t i = 0; i < gradient.size(); ++i) {
        first_[m][i] = kept * first_[m][i] + gradient[i];
        ahead[i] = gradient[i] + kept * first_[m][i];
    }
    const bool down = (m + 1) % static_cast<size_t>(matrices()) == 0;
    const int64_t rows = down ? shape_.d_ff : shape_.d_model,
                  cols = down ? shape_.d_model : shape_.d_ff;
    const double wide =
        std::sqrt(std::max(1.0, static_cast<double>(cols) / static_cast<double>(rows)));
    const auto rate = static_cast<float>(lr * wide);
    const std::vector<float> direction = orthogonalized(std::move(ahead), rows, cols);
    for (size_t i = 0; i < direction.size(); ++i) weights_[m][i] -= rate * direction[i];
}

RelativeError relative_error(const std::vector<float>& a, const std::vector<float>& b,
                             int64_t d_model) {
    double difference = 0, norm = 0, cosines = 0;
    const auto d = static_cast<size_t>(d_model);
    for (size_t row = 0; row < a.size(); row += d) {
        double ab = 0, aa = 0, bb = 0;
        for (size_t j = row; j < row + d; ++j) {
            const double x = a[j], y = b[j];
            ab += x * y;
            aa += x * x;
            bb += y * y;
            difference += (x - y) * (x - y);
        }
        norm += bb;
        cosines += aa * bb > 0 ? ab / std::sqrt(aa * bb) : 0;
    }
    return {std::sqrt(difference / norm),
            1 - cosines * static_cast<double>(d) / static_cast<double>(a.size())};
}

}  // namespace headroom

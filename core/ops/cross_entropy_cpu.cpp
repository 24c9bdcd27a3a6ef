#include <algorithm>
#include <cmath>

#include "core/cpu/parallel.h"
#include "core/data/batch.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kClassGrain = 16;

/// The rows of one call. Sums over rows are made at the end, in their order.
template <class T>
class ClassLoss {
    using A = accumulator_t<T>;

  public:
    ClassLoss(const KernelCall& call, double gradient_scale)
        : call_(call),
          logits_(call.inputs[0].as<const T>()),
          targets_(call.inputs[1].as<const int32_t>()),
          rows_(call.inputs[0].rows()),
          columns_(call.inputs[0].columns()),
          losses_(reinterpret_cast<double*>(call.workspace.data())),
          right_(losses_ + rows_),
          valid_(std::max<int64_t>(1, count_valid({targets_, static_cast<size_t>(rows_)}))),
          scale_(gradient_scale / static_cast<double>(valid_)) {}

    /// `dlogits` may be null.
    void run(T* dlogits, bool accumulate) {
        parallel_for(rows_, kClassGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                finish_row(i, dlogits == nullptr ? nullptr : dlogits + i * columns_, accumulate);
        });
        double loss = 0, right = 0;
        for (int64_t i = 0; i < rows_; ++i) {
            loss += losses_[i];
            right += right_[i];
        }
        store(*call_.outputs[0].as<A>(), loss / static_cast<double>(valid_),
              call_.accumulate[0] != 0);
        store(*call_.outputs[1].as<A>(), right, call_.accumulate[1] != 0);
    }

  private:
    void finish_row(int64_t i, T* drow, bool accumulate) {
        const int32_t target = targets_[i];
        const bool counts = target != kIgnoredTarget;
        const T* row = logits_ + i * columns_;
        A most = static_cast<A>(row[0]), sum = 0;
        int64_t best = 0;
        for (int64_t j = 1; j < columns_; ++j)
            if (static_cast<A>(row[j]) > most) {
                most = static_cast<A>(row[j]);
                best = j;
            }
        for (int64_t j = 0; j < columns_; ++j) sum += std::exp(static_cast<A>(row[j]) - most);
        losses_[i] = !counts ? 0.0
                             : std::log(static_cast<double>(sum)) +
                                   static_cast<double>(most - static_cast<A>(row[target]));
        right_[i] = counts && best == target ? 1 : 0;
        if (drow == nullptr) return;
        const A share = counts ? static_cast<A>(scale_) : A{0};
        for (int64_t j = 0; j < columns_; ++j) {
            const A p = std::exp(static_cast<A>(row[j]) - most) / sum;
            store(drow[j], share * (p - (j == target ? A{1} : A{0})), accumulate);
        }
    }

    const KernelCall& call_;
    const T* logits_;
    const int32_t* targets_;
    int64_t rows_, columns_;
    double *losses_, *right_;
    int64_t valid_;
    double scale_;
};

/// The specification: one row at a time, in double. `dlogits` may be null.
template <class T>
void class_loss_reference(const KernelCall& call, double gradient_scale, T* dlogits) {
    using A = accumulator_t<T>;
    const Tensor& logits = call.inputs[0];
    const auto* targets = call.inputs[1].as<const int32_t>();
    const int64_t rows = logits.rows(), n = logits.columns();
    double valid = 0, loss = 0, right = 0;
    for (int64_t i = 0; i < rows; ++i) valid += targets[i] != kIgnoredTarget ? 1 : 0;
    valid = std::max(valid, 1.0);
    for (int64_t i = 0; i < rows; ++i) {
        const auto logit = [&](int64_t j) {
            return static_cast<double>(logits.as<const T>()[i * n + j]);
        };
        const bool counts = targets[i] != kIgnoredTarget;
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += std::exp(logit(j));
        if (counts) {
            loss += std::log(sum) - logit(targets[i]);
            int64_t best = 0;
            for (int64_t j = 1; j < n; ++j)
                if (logit(j) > logit(best)) best = j;
            right += best == targets[i] ? 1 : 0;
        }
        for (int64_t j = 0; dlogits != nullptr && j < n; ++j) {
            const double change = std::exp(logit(j)) / sum - (j == targets[i] ? 1.0 : 0.0);
            store(dlogits[i * n + j], counts ? change * gradient_scale / valid : 0.0,
                  call.accumulate[2] != 0);
        }
    }
    store(*call.outputs[0].as<A>(), loss / valid, call.accumulate[0] != 0);
    store(*call.outputs[1].as<A>(), right, call.accumulate[1] != 0);
}

}  // namespace

void CrossEntropy::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { ClassLoss<T>(call, 1.0).run(nullptr, false); });
}
void CrossEntropy::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { class_loss_reference<T>(call, 1.0, nullptr); });
}

void CrossEntropyWithGradient::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        ClassLoss<T>(call, gradient_scale_).run(call.outputs[2].as<T>(), call.accumulate[2] != 0);
    });
}
void CrossEntropyWithGradient::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        class_loss_reference<T>(call, gradient_scale_, call.outputs[2].as<T>());
    });
}

}  // namespace headroom

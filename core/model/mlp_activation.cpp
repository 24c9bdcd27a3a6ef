#include "core/model/mlp_activation.h"

#include "core/base/error.h"

namespace headroom {

ActivationKind activation_of(MlpKind kind) {
    switch (kind) {
        case MlpKind::kGelu:
        case MlpKind::kGeglu:
            return ActivationKind::kGelu;
        case MlpKind::kGeluTanh:
            return ActivationKind::kGeluTanh;
        case MlpKind::kRelu:
        case MlpKind::kReglu:
            return ActivationKind::kRelu;
        case MlpKind::kRelu2:
            return ActivationKind::kRelu2;
        case MlpKind::kSilu:
        case MlpKind::kSwiglu:
            return ActivationKind::kSilu;
    }
    CHECK(false, "unknown MLP");
}

}  // namespace headroom

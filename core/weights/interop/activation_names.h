#pragma once

#include <span>
#include <string_view>

#include "core/config/enum_names.h"

namespace headroom {

/// One MLP as another tool's config.json calls it. Of several names of one kind, the first is what
/// export writes.
struct ActivationName {
    std::string_view theirs;
    MlpKind ours;
};

/// Of MLPs without a gate, as GPT-2's and GPT-NeoX's are.
inline constexpr ActivationName kPlainActivations[] = {
    {"gelu_new", MlpKind::kGeluTanh},  {"gelu_pytorch_tanh", MlpKind::kGeluTanh},
    {"gelu_fast", MlpKind::kGeluTanh}, {"gelu", MlpKind::kGelu},
    {"gelu_python", MlpKind::kGelu},   {"relu", MlpKind::kRelu},
    {"relu2", MlpKind::kRelu2},        {"silu", MlpKind::kSilu},
    {"swish", MlpKind::kSilu},
};

/// The spelling in our job files, or "" if the name is not in the list.
inline std::string_view our_spelling(std::span<const ActivationName> names,
                                     std::string_view theirs) {
    for (const ActivationName& row : names)
        if (row.theirs == theirs) return spelling(row.ours);
    return "";
}

/// What export writes, or "" if the layout has no name for it.
inline std::string_view their_name(std::span<const ActivationName> names, MlpKind ours) {
    for (const ActivationName& row : names)
        if (row.ours == ours) return row.theirs;
    return "";
}

}  // namespace headroom

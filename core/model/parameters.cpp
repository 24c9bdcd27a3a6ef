#include "core/model/parameters.h"

#include "core/model/forward_builder.h"
#include "core/model/objective.h"

namespace headroom {

std::string_view name_of(ParameterRole role) {
    switch (role) {
        case ParameterRole::kEmbedding:
            return "embedding";
        case ParameterRole::kPosition:
            return "position";
        case ParameterRole::kPatch:
            return "patches";
        case ParameterRole::kNorm:
            return "norm";
        case ParameterRole::kQuery:
            return "query";
        case ParameterRole::kKey:
            return "key";
        case ParameterRole::kValue:
            return "value";
        case ParameterRole::kLatent:
            return "latent";
        case ParameterRole::kOutput:
            return "attention output";
        case ParameterRole::kMlp:
            return "mlp";
        case ParameterRole::kRouter:
            return "router";
        case ParameterRole::kMixing:
            return "mixing";
        case ParameterRole::kAveraging:
            return "averaging";
        case ParameterRole::kHead:
            return "head";
    }
    CHECK(false, "unknown role");
}

std::vector<ParameterSpec> parameter_specs(const ModelConfig& model) {
    CHECK(model.vocab_size > 0, "vocab_size must be known before the parameters are");
    ParameterList list(model);
    ForwardBuilder::add_parameters(list);
    Objective::add_parameters(list);
    return std::move(list).take();
}

}  // namespace headroom

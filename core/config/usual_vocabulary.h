#pragma once

#include "core/config/model_config.h"

namespace headroom {

/// What the vocabulary of a model counts as where neither its configuration nor data say it.
inline int64_t usual_vocabulary(const ModelConfig& model) {
    return model.reads_images() ? kUsualClasses : kByteVocabulary;
}

}  // namespace headroom

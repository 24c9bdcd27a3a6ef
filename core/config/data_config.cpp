#include "core/config/job.h"
#include "core/data/data_spec.h"

namespace headroom {

bool DataConfig::are_images() const {
    return data_kind_of(train) == DataSpec::Kind::kImages;
}

bool DataConfig::holds_out() const {
    return data_kind_of(val) == DataSpec::Kind::kSplit;
}

}  // namespace headroom

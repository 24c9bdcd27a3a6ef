#pragma once

#include "core/config/job.h"
#include "core/data/data_spec.h"
#include "datasets/open_data.h"

namespace headroom {

/// The data of a job whose data.train is images:PATH. PATH is a folder with CIFAR's binary files or
/// one of them (cifar.h), or a folder with a subfolder of pictures for each class. ?part=train or
/// ?part=test says which of CIFAR's files; data.train takes the first and data.val the second where
/// it is left out. UserError for what is missing, and if both have not the same classes.
OpenedData open_images(const DataConfig& config, const DataSpec& train, const DataSpec& val,
                       int64_t seed);

}  // namespace headroom

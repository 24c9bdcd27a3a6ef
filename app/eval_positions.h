#pragma once

#include <cstdint>
#include <vector>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/device.h"
#include "core/train/evaluation.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// The loss at every position of the sequences, over the batches that an EvaluationSession of `job`
/// averages over; entry t belongs to the token after position t. Positions whose targets the data
/// ignore have none. The sum over all of them is the loss of the session, up to rounding.
std::vector<LossSum> loss_by_position(const Job& job, const DataSource& data,
                                      const WeightSource& weights, Device& device);

}  // namespace headroom

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// The weights that a job starts from (train.init_from), converted as train.init_convert says.
/// No optimizer state: the run begins at step 0.
struct InitialWeights {
    std::shared_ptr<const WeightSource> weights;
    /// Keys of the model section that give the same tensors another meaning than in the file, as
    /// "model.attn_scale = 0.5, in the file 0.25".
    std::vector<std::string> differences;

    /// The scales of norms that freeze (measure_norm_scales) on data of the job.
    using NormScales = std::function<std::map<std::string, double>(const WeightSource& source)>;

    /// UserError naming the file and the tensor unless it holds exactly the tensors of job.model
    /// with their shapes. Without `scales` the numbers of a model whose norms freeze cannot be
    /// read. REQUIRES: job.train.starts_from_file(); job.model.vocab_size is known.
    static InitialWeights open(const Job& job, const NormScales& scales = {});
};

/// Weights as those of `wanted`, which differs in its wiring alone, the way that train.init_convert
/// names: rewire, or an uptraining. UserError where the weights cannot become that.
std::shared_ptr<const WeightSource> converted_weights(std::shared_ptr<const WeightSource> weights,
                                                      const ModelConfig& wanted,
                                                      const std::string& way);

/// The same UserError, without the weights; and where the way makes another wiring than `wanted`.
void check_conversion(const ModelConfig& given, const ModelConfig& wanted, const std::string& way);

}  // namespace headroom

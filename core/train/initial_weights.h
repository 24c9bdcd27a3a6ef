#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/device/device.h"
#include "core/model/model_weights.h"
#include "core/model/weights_io.h"
#include "core/surgery/uptrain_model.h"

namespace headroom {

/// The weights that a job starts from (train.init_from), converted as train.init_convert says.
/// No optimizer state: the run begins at step 0.
class InitialWeights {
  public:
    /// UserError naming the file and the tensor unless it holds exactly the tensors of job.model
    /// with their shapes. REQUIRES: job.train.starts_from_file(); job.model.vocab_size is known.
    static InitialWeights open(const Job& job);

    void load(Executor& executor, const std::vector<GraphParameter>& parameters);

    /// Keys of the model section that give the same tensors another meaning than in the file, as
    /// "model.attn_scale = 0.5, in the file 0.25".
    const std::vector<std::string>& differences() const { return differences_; }

  private:
    std::unique_ptr<ModelWeights> file_;  ///< stays where it is: `converted_` points to it
    std::unique_ptr<UptrainedWeights> converted_;
    std::vector<std::string> differences_;
};

}  // namespace headroom

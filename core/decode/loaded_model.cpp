#include "core/decode/loaded_model.h"

#include "core/base/error.h"
#include "core/model/token_ids.h"
#include "core/ops/dispatch.h"
#include "core/weights/load_weights.h"

namespace headroom {

LoadedModel::LoadedModel(const WeightSource& weights, DType precision, int64_t seq_len,
                         Device& device)
    : config_(weights.config()) {
    weights.check_reads_tokens();
    device.check_precision(precision);
    weights.check_length(seq_len);
    inference_ = build_inference_graph(config_, precision, 1, seq_len);
    executor_ = device.prepare(inference_.graph);
    load_weights(*executor_, inference_.parameters, weights);
}

void LoadedModel::check_tokens(std::span<const int32_t> tokens) const {
    CHECK(static_cast<int64_t>(tokens.size()) ==
              inference_.graph.value(inference_.input).type.count(),
          "as many tokens as the model was loaded for");
    check_token_ids(config_, tokens);
}

template <class T>
std::vector<T> LoadedModel::logits(std::span<const int32_t> tokens) {
    check_tokens(tokens);
    executor_->write(inference_.input, std::as_bytes(tokens));
    executor_->run(Phase::kForward, {});
    const TensorType& type = inference_.graph.value(inference_.logits).type;
    std::vector<T> result;
    dispatch_float(type.dtype, [&]<class Stored>(Stored) {
        std::vector<Stored> stored(static_cast<size_t>(type.count()));
        executor_->read(inference_.logits, std::as_writable_bytes(std::span(stored)));
        result.reserve(stored.size());
        for (const Stored value : stored)
            result.push_back(static_cast<T>(static_cast<accumulator_t<Stored>>(value)));
    });
    return result;
}

template std::vector<float> LoadedModel::logits(std::span<const int32_t>);
template std::vector<double> LoadedModel::logits(std::span<const int32_t>);

}  // namespace headroom

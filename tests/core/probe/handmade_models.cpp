#include "tests/core/probe/handmade_models.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/model/parameters.h"
#include "tests/support/made_weights.h"

namespace headroom {
namespace {

/// A score of which e^-score is nothing.
constexpr double kSharp = 60;

/// Writes into one head's columns of a weight matrix.
class HeadWriter {
  public:
    HeadWriter(HandmadeModel& made, int layer, int head)
        : made_(made), prefix_("h." + std::to_string(layer) + ".attn."), head_(head) {}

    /// The head's query, key or value (`part`): stream column `from` to head column `to`.
    void set(const char* part, int64_t from, int64_t to, double value) {
        const ModelConfig& model = made_.model;
        at(part, from * model.n_head * model.d_head + head_ * model.d_head + to) = value;
    }
    /// Of a run of `count` columns each to its own.
    void copy(const char* part, int64_t from, int64_t to, int64_t count, double value = 1) {
        for (int64_t i = 0; i < count; ++i) set(part, from + i, to + i, value);
    }
    /// The head's column `from` to stream column `to`.
    void set_output(int64_t from, int64_t to) {
        at("o", (head_ * made_.model.d_head + from) * made_.model.d_model + to) = 1;
    }

  private:
    double& at(const char* part, int64_t index) {
        return made_.weights.at(prefix_ + part + ".weight")[static_cast<size_t>(index)];
    }

    HandmadeModel& made_;
    std::string prefix_;
    int head_;
};

/// Scores of kSharp where the position looks at `key(position)`.
template <class Key>
void look_at_position(HeadWriter& head, const HandmadeModel& made, Key key) {
    const int64_t positions = made.position_column(), count = made.model.block_size;
    for (int64_t i = 0; i < count; ++i) head.set("q", positions + i, key(i), kSharp);
    head.copy("k", positions, 0, count);
}

/// The token looks for itself in the columns from `key_column` on, but not at `key(position)`.
template <class Key>
void look_for_token(HeadWriter& head, const HandmadeModel& made, int64_t key_column, Key key) {
    const int64_t vocab = made.model.vocab_size, positions = made.position_column();
    head.copy("q", made.token_column(), 0, vocab, kSharp);
    head.copy("k", key_column, 0, vocab);
    for (int64_t i = 0; i < made.model.block_size; ++i)
        head.set("q", positions + i, vocab + key(i), -2 * kSharp);
    head.copy("k", positions, vocab, made.model.block_size);
}

void write_head(HandmadeModel& made, int layer, int index, HeadKind kind) {
    HeadWriter head(made, layer, index);
    const auto itself = [](int64_t i) { return i; };
    const auto first = [](int64_t) { return int64_t{0}; };
    switch (kind) {
        case HeadKind::kUniform:
            return;
        case HeadKind::kCurrent:
            return look_at_position(head, made, itself);
        case HeadKind::kFirst:
            return look_at_position(head, made, first);
        case HeadKind::kPrevious:
            look_at_position(head, made, [](int64_t i) { return std::max<int64_t>(i - 1, 0); });
            head.copy("v", made.token_column(), 0, made.model.vocab_size);
            for (int64_t t = 0; t < made.model.vocab_size; ++t)
                head.set_output(t, made.previous_column() + t);
            return;
        case HeadKind::kDuplicate:
            return look_for_token(head, made, made.token_column(), itself);
        // The first token has no token before it, only itself.
        case HeadKind::kInduction:
            return look_for_token(head, made, made.previous_column(), first);
    }
}

}  // namespace

HandmadeModel handmade_model(const std::vector<std::vector<HeadKind>>& layers, int64_t vocab_size,
                             int64_t seq_len) {
    const nlohmann::json keys{{"n_layer", layers.size()},
                              {"n_head", layers.front().size()},
                              {"d_model", 2 * vocab_size + seq_len},
                              {"d_head", vocab_size + seq_len},
                              {"d_ff", 1},
                              {"vocab_size", vocab_size},
                              {"block_size", seq_len},
                              {"attn_scale", 1.0},
                              {"norm", "none"},
                              {"norm_f", "none"}};
    HandmadeModel made{parse_model_config(keys, ""), {}};
    for (const ParameterSpec& spec : parameter_specs(made.model))
        made.weights[spec.name].assign(static_cast<size_t>(spec.count()), 0.0);
    const int64_t width = made.model.d_model;
    for (int64_t t = 0; t < vocab_size; ++t)
        made.weights["wte.weight"][static_cast<size_t>(t * width + made.token_column() + t)] = 1;
    for (int64_t i = 0; i < seq_len; ++i)
        made.weights["wpe.weight"][static_cast<size_t>(i * width + made.position_column() + i)] = 1;
    for (size_t layer = 0; layer < layers.size(); ++layer)
        for (size_t head = 0; head < layers[layer].size(); ++head)
            write_head(made, static_cast<int>(layer), static_cast<int>(head), layers[layer][head]);
    return made;
}

ProbePass run_handmade(const HandmadeModel& handmade, const std::vector<int32_t>& tokens,
                       int64_t batch_size) {
    const std::unique_ptr<Device> device = make_cpu_device();
    ProbeTaps taps = ProbeTaps::all_attention(handmade.model);
    taps.streams = true;
    const auto seq_len = static_cast<int64_t>(tokens.size()) / batch_size;
    ProbePass pass(handmade.model, {batch_size, seq_len, DType::kF64}, taps, *device);
    pass.load(MadeWeights(handmade.model,
                          [&](const std::string& name) { return handmade.weights.at(name); }));
    pass.run(tokens);
    return pass;
}

}  // namespace headroom

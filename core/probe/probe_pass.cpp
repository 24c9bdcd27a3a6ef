#include "core/probe/probe_pass.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/device/batch_inputs.h"
#include "core/model/token_ids.h"
#include "core/ops/dispatch.h"
#include "core/probe/activation_names.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

const Node& node_making(const Graph& graph, ValueId value) {
    for (const Node& node : graph.nodes())
        for (const ValueId output : node.outputs)
            if (output == value) return node;
    CHECK(false, "no node makes " + graph.value(value).name);
}

}  // namespace

ProbeTaps ProbeTaps::all_attention(const ModelConfig& model) {
    ProbeTaps taps;
    for (int layer = 0; layer < model.n_layer; ++layer) taps.attention_layers.insert(layer);
    return taps;
}

ProbePass::ProbePass(const ModelConfig& model, const ProbeShape& shape, const ProbeTaps& taps)
    : model_(model), shape_(shape), attention_(static_cast<size_t>(model.n_layer)) {
    inference_ = build_feature_graph(model_, shape.precision, shape.batch_size, shape.seq_len);
    Graph& graph = inference_.graph;
    for (const std::string& name : taps.names)
        graph.keep(graph.find(resolve_activation(graph, name)));
    for (const int layer : taps.attention_layers) tap_attention(layer);
    if (taps.streams)
        for (const ValueId stream : inference_.streams) graph.keep(stream);
}

ProbePass::ProbePass(const ModelConfig& model, const ProbeShape& shape, const ProbeTaps& taps,
                     Device& device)
    : ProbePass(model, shape, taps) {
    device.check_precision(shape.precision);
    executor_ = device.prepare(inference_.graph);
}

MemoryLedger ProbePass::memory(const ModelConfig& model, const ProbeShape& shape,
                               const ProbeTaps& taps, int threads) {
    return plan_memory(ProbePass(model, shape, taps).inference_.graph, threads).ledger;
}

void ProbePass::tap_attention(int layer) {
    if (layer < 0 || layer >= model_.n_layer)
        throw UserError(fmt::format("the model has no layer {}", layer),
                        fmt::format("layers are 0 to {}", model_.n_layer - 1));
    Graph& graph = inference_.graph;
    AttentionTap& tap = attention_[static_cast<size_t>(layer)];
    tap.out = graph.find(fmt::format("h.{}.attn.heads", layer));
    const Node& node = node_making(graph, tap.out);
    const auto* op = dynamic_cast<const Attention*>(node.op.get());
    CHECK(op != nullptr, node.name + " is not made by attention");
    tap.options = &op->options();
    tap.inputs = node.inputs;
    for (const ValueId input : tap.inputs) graph.keep(input);
    graph.keep(tap.out);
}

void ProbePass::load(const WeightSource& weights) {
    load_weights(*executor_, inference_.parameters, weights);
}

void ProbePass::run(std::span<const int32_t> tokens) {
    CHECK(static_cast<int64_t>(tokens.size()) == shape_.batch_size * shape_.seq_len,
          "as many tokens as the pass was made for");
    check_token_ids(model_, tokens);
    executor_->write(inference_.input, std::as_bytes(tokens));
    executor_->run(Phase::kForward, {});
}

void ProbePass::run(const Batch& batch) {
    if (!model_.reads_images()) return run(batch.tokens());
    write_batch(*executor_, {inference_.input}, batch);
    executor_->run(Phase::kForward, {});
}

void ProbePass::wait() const {
    int32_t token = 0;  // what a device reads comes after all that it was asked for before
    executor_->read_part(inference_.input, 0, std::as_writable_bytes(std::span(&token, 1)));
}

TokenMatrix ProbePass::columns(ValueId value, int64_t b, int64_t first, int64_t count) const {
    const TensorType& type = inference_.graph.value(value).type;
    const int64_t width = type.columns(), rows = type.rows() / shape_.batch_size;
    CHECK(is_persistent(inference_.graph.value(value).role), "a tap on what is read");
    TokenMatrix matrix{rows, count, {}};
    matrix.values.reserve(static_cast<size_t>(rows * count));
    dispatch_float(type.dtype, [&]<class Stored>(Stored) {
        std::vector<Stored> stored(static_cast<size_t>(rows * width));
        const auto bytes = std::as_writable_bytes(std::span(stored));
        executor_->read_part(value, b * static_cast<int64_t>(bytes.size()), bytes);
        for (int64_t i = 0; i < rows; ++i) {
            const Stored* from = stored.data() + i * width + first;
            for (int64_t j = 0; j < count; ++j)
                matrix.values.push_back(
                    static_cast<double>(static_cast<accumulator_t<Stored>>(from[j])));
        }
    });
    return matrix;
}

TokenMatrix ProbePass::read(std::string_view name, int64_t b) const {
    const ValueId value = inference_.graph.find(resolve_activation(inference_.graph, name));
    return columns(value, b, 0, inference_.graph.value(value).type.columns());
}

ValueId ProbePass::stream_value(int layer) const {
    const int place = layer + 1;
    return inference_.streams[static_cast<size_t>(place)];
}

TokenMatrix ProbePass::stream(int layer, int64_t b) const {
    const ValueId value = stream_value(layer);
    const int64_t d = model_.d_model, width = inference_.graph.value(value).type.columns();
    TokenMatrix sum = columns(value, b, 0, d);
    for (int64_t first = d; first < width; first += d) {
        const TokenMatrix more = columns(value, b, first, d);
        for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += more.values[i];
    }
    return sum;
}

template <class T>
void ProbePass::copy_stream(int layer, std::span<T> out) const {
    const ValueId value = stream_value(layer);
    const TensorType& type = inference_.graph.value(value).type;
    const int64_t d = model_.d_model, width = type.columns(), rows = type.rows();
    CHECK(static_cast<int64_t>(out.size()) == rows * d, "room for the whole stream");
    CHECK(is_persistent(inference_.graph.value(value).role), "a tap on what is read");
    std::fill(out.begin(), out.end(), T{});
    dispatch_float(type.dtype, [&]<class Stored>(Stored) {
        std::vector<Stored> stored(static_cast<size_t>(type.count()));
        executor_->read(value, std::as_writable_bytes(std::span(stored)));
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < width; ++j)
                out[static_cast<size_t>(i * d + j % d)] +=
                    static_cast<accumulator_t<Stored>>(stored[static_cast<size_t>(i * width + j)]);
    });
}

template void ProbePass::copy_stream(int, std::span<float>) const;
template void ProbePass::copy_stream(int, std::span<double>) const;

template <class T>
void ProbePass::copy_pooled(int layer, std::span<T> out) const {
    CHECK(model_.reads_images(), "pooled is what a classifier of images reads");
    const auto d = static_cast<size_t>(model_.d_model),
               length = static_cast<size_t>(shape_.seq_len);
    const size_t pooled = model_.has_class_token() ? 1 : length;
    std::vector<T> stream(static_cast<size_t>(shape_.batch_size) * length * d);
    copy_stream(layer, std::span(stream));
    for (size_t b = 0; b < static_cast<size_t>(shape_.batch_size); ++b)
        for (size_t c = 0; c < d; ++c) {
            double sum = 0;
            for (size_t t = 0; t < pooled; ++t)
                sum += static_cast<double>(stream[(b * length + t) * d + c]);
            out[b * d + c] = static_cast<T>(sum / static_cast<double>(pooled));
        }
}

template void ProbePass::copy_pooled(int, std::span<float>) const;
template void ProbePass::copy_pooled(int, std::span<double>) const;

const ProbePass::AttentionTap& ProbePass::tap(int layer) const {
    const AttentionTap& found = attention_[static_cast<size_t>(layer)];
    CHECK(found.options != nullptr, "a tap on the attention that is read");
    return found;
}

const AttentionOptions& ProbePass::attention(int layer) const {
    return *tap(layer).options;
}

TokenMatrix ProbePass::head(int layer, int head, HeadPart part, int64_t b) const {
    const AttentionTap& from = tap(layer);
    const AttentionOptions& options = *from.options;
    const auto group = static_cast<size_t>(options.kv_head_of(head));
    const int64_t d_head = options.d_head, d_value = options.value_width();
    if (part == HeadPart::kQuery) return columns(from.inputs[0], b, head * d_head, d_head);
    if (part == HeadPart::kOutput) return columns(from.out, b, head * d_value, d_value);
    const bool key = part == HeadPart::kKey;
    const HeadRef ref = key ? options.key_heads[group] : options.value_heads[group];
    const int64_t width = key ? d_head : d_value;
    if (ref.input < 0)
        return {shape_.seq_len, width,
                std::vector<double>(static_cast<size_t>(shape_.seq_len * width))};
    return columns(from.inputs[static_cast<size_t>(ref.input)], b, ref.head * width, width);
}

}  // namespace headroom

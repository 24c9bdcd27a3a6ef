#include "core/decode/decoding_session.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/model/token_ids.h"
#include "core/model/weight_layout.h"
#include "core/ops/dispatch.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

void check_capacity(const ModelConfig& model, const DecodeShape& shape) {
    CHECK(shape.batch_size > 0 && shape.chunk > 0 && shape.step > 0, "a positive batch and chunk");
    if (shape.capacity < 1) throw UserError("a cache without room", "give at least one position");
    if (model.pos == Positions::kLearned && shape.capacity > model.block_size)
        throw UserError(fmt::format("{} tokens do not fit the model's block_size of {}",
                                    shape.capacity, model.block_size),
                        "give a shorter prompt or fewer new tokens");
}

}  // namespace

DecodingSession::DecodingSession(const ModelConfig& model, DType precision,
                                 const DecodeShape& shape, Device& device)
    : model_(model), precision_(precision), shape_(shape) {
    device.check_precision(precision);
    check_capacity(model, shape);
    shape_.chunk = std::min(shape.chunk, shape.capacity);
    shape_.step = std::min(shape.step, shape.capacity);
    decode_ = build_decode_graph(model_, precision, shape_);
    lay_out_weights(decode_.graph, device, precision);
    executor_ = device.prepare(decode_.graph);
    padded_.reserve(static_cast<size_t>(shape_.batch_size * std::max(shape_.chunk, shape_.step)));
}

void DecodingSession::load(const WeightSource& weights) {
    weights.check_length(shape_.capacity);
    load_weights(*executor_, decode_.parameters, weights);
}

void DecodingSession::check(std::span<const int32_t> tokens) const {
    const auto count = static_cast<int64_t>(tokens.size()) / shape_.batch_size;
    CHECK(count > 0 && static_cast<int64_t>(tokens.size()) == count * shape_.batch_size,
          "as many tokens for every sequence");
    if (position_ + count > shape_.capacity)
        throw UserError(fmt::format("{} tokens after {} do not fit a cache of {} positions", count,
                                    position_, shape_.capacity),
                        "make room for more when the session begins");
    check_token_ids(model_, tokens);
}

void DecodingSession::rewind(int64_t position) {
    CHECK(position >= 0 && position <= position_, "positions that are there");
    position_ = position;
}

void DecodingSession::prefill(std::span<const int32_t> tokens) {
    check(tokens);
    const int64_t count = static_cast<int64_t>(tokens.size()) / shape_.batch_size;
    for (int64_t first = 0; first < count; first += shape_.chunk)
        run(Phase::kForward, decode_.chunk_tokens, tokens, count, first,
            std::min(shape_.chunk, count - first));
    last_logits_ = decode_.chunk_logits;
    logits_rows_ = 1;
}

void DecodingSession::step(std::span<const int32_t> tokens) {
    check(tokens);
    const int64_t count = static_cast<int64_t>(tokens.size()) / shape_.batch_size;
    CHECK(count <= shape_.step, "no more tokens than a step takes");
    run(Phase::kDecode, decode_.tokens, tokens, count, 0, count);
    last_logits_ = decode_.logits;
    logits_rows_ = count;
}

void DecodingSession::run(Phase phase, ValueId input, std::span<const int32_t> tokens,
                          int64_t count, int64_t first, int64_t rows) {
    const int64_t most = decode_.graph.value(input).type.shape[1];
    padded_.assign(static_cast<size_t>(shape_.batch_size * most), 0);
    for (int64_t b = 0; b < shape_.batch_size; ++b)
        std::copy_n(tokens.begin() + b * count + first, rows, padded_.begin() + b * most);
    executor_->write(input, std::as_bytes(std::span(padded_)));
    StepContext step;
    step.position = position_;
    step.rows = rows;
    executor_->run(phase, step);
    position_ += rows;
}

void DecodingSession::wait() const {
    CHECK(last_logits_ != kNoValue, "logits come after a token");
    std::vector<std::byte> one(size_of(decode_.graph.value(last_logits_).type.dtype));
    executor_->read_part(last_logits_, 0, one);
}

std::vector<double> DecodingSession::logits() const {
    CHECK(last_logits_ != kNoValue, "logits come after a token");
    const TensorType& type = decode_.graph.value(last_logits_).type;
    const int64_t rows = type.shape[1];  // of which logits_rows_ hold tokens
    const auto row_bytes = static_cast<int64_t>(size_of(type.dtype)) * model_.vocab_size;
    // One piece where no row is padding.
    const int64_t pieces = logits_rows_ == rows ? 1 : shape_.batch_size;
    std::vector<std::byte> bytes(
        static_cast<size_t>(shape_.batch_size / pieces * logits_rows_ * row_bytes));
    std::vector<double> numbers;
    numbers.reserve(static_cast<size_t>(shape_.batch_size * logits_rows_ * model_.vocab_size));
    for (int64_t piece = 0; piece < pieces; ++piece) {
        executor_->read_part(last_logits_, piece * rows * row_bytes, bytes);
        dispatch_float(type.dtype, [&]<class T>(T) {
            const T* from = reinterpret_cast<const T*>(bytes.data());
            for (size_t i = 0; i < bytes.size() / sizeof(T); ++i)
                numbers.push_back(static_cast<double>(from[i]));
        });
    }
    return numbers;
}

}  // namespace headroom

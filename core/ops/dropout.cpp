#include "core/ops/dropout.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/graph/backward.h"

namespace headroom {

void check_dropout(std::string_view op, double p, uint64_t stream) {
    if (!(p >= 0.0 && p < 1.0))
        throw UserError(fmt::format("{}: a dropout probability of {}", op, p),
                        "choose one from 0 to below 1");
    CHECK(stream >> 32 == 0, "dropout streams are numbered below 2^32");
}

Dropout::Dropout(double p, uint64_t stream) : p_(p), stream_(static_cast<uint32_t>(stream)) {
    check_dropout("dropout", p, stream);
}

std::vector<TensorType> Dropout::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    return {in[0]};
}

// y = c x with the constants c = m / (1 - p), so dx = c dy.
void Dropout::backward(Backward& b) const {
    if (b.wants(0)) b.emit(std::make_shared<Dropout>(p_, stream_), {b.output_grad(0)}, {0});
}

}  // namespace headroom

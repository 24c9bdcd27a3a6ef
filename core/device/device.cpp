#include "core/device/device.h"

namespace headroom {
namespace {

template <class T>
double read_one(const Executor& executor, ValueId id) {
    T value{};
    executor.read(id, std::as_writable_bytes(std::span(&value, 1)));
    return static_cast<double>(value);
}

}  // namespace

double read_scalar(const Executor& executor, ValueId id) {
    const DType dtype = executor.graph().value(id).type.dtype;
    CHECK(dtype == DType::kF32 || dtype == DType::kF64, "a scalar is float32 or float64");
    return dtype == DType::kF64 ? read_one<double>(executor, id) : read_one<float>(executor, id);
}

}  // namespace headroom

#include "core/device/device.h"

namespace headroom {
namespace {

template <class T>
double read_one(const Executor& executor, ValueId id) {
    T value{};
    executor.read(id, std::as_writable_bytes(std::span(&value, 1)));
    return static_cast<double>(value);
}

template <class T>
void average_value(Executor& executor, ValueId id, ProcessGroup& group) {
    std::vector<T> values(static_cast<size_t>(executor.graph().value(id).type.count()));
    executor.read(id, std::as_writable_bytes(std::span(values)));
    group.sum(std::span<T>(values));
    const T share = T{1} / static_cast<T>(group.size());
    for (T& value : values) value *= share;
    executor.write(id, std::as_bytes(std::span(values)));
}

}  // namespace

void Executor::average(std::span<const ValueId> values, ProcessGroup& group) {
    if (group.is_alone()) return;
    for (const ValueId id : values) {
        const DType dtype = graph().value(id).type.dtype;
        CHECK(dtype == DType::kF32 || dtype == DType::kF64, "means of float32 or float64");
        if (dtype == DType::kF64)
            average_value<double>(*this, id, group);
        else
            average_value<float>(*this, id, group);
    }
}

double read_scalar(const Executor& executor, ValueId id) {
    const DType dtype = executor.graph().value(id).type.dtype;
    CHECK(dtype == DType::kF32 || dtype == DType::kF64, "a scalar is float32 or float64");
    return dtype == DType::kF64 ? read_one<double>(executor, id) : read_one<float>(executor, id);
}

}  // namespace headroom

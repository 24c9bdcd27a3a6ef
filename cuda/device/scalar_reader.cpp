#include "cuda/device/scalar_reader.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace headroom::cuda {

ScalarReader::Slot& ScalarReader::slot_of(ValueId value, DType dtype) {
    const auto found = std::find_if(slots_.begin(), slots_.end(),
                                    [&](const Slot& slot) { return slot.value == value; });
    if (found != slots_.end()) return *found;
    CHECK(slots_.size() < kSlots, "a graph has few numbers that are read in passing");
    return slots_.emplace_back(Slot{value, dtype, slots_.size() * sizeof(double), Event()});
}

bool ScalarReader::knows(ValueId value) const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [&](const Slot& slot) { return slot.value == value; });
}

void ScalarReader::start(ValueId value, const Tensor& scalar, cudaStream_t stream) {
    CHECK(scalar.type.dtype == DType::kF32 || scalar.type.dtype == DType::kF64,
          "a scalar is float32 or float64");
    Slot& slot = slot_of(value, scalar.type.dtype);
    check(cudaMemcpyAsync(memory_.data() + slot.offset, scalar.data, size_of(slot.dtype),
                          cudaMemcpyDeviceToHost, stream),
          "copy memory");
    slot.arrived.record(stream);
}

double ScalarReader::finish(ValueId value) const {
    const auto slot =
        std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.value == value; });
    CHECK(slot != slots_.end(), "a number that was asked for");
    slot->arrived.wait();
    const std::byte* at = memory_.data() + slot->offset;
    if (slot->dtype == DType::kF64) {
        double number = 0;
        std::memcpy(&number, at, sizeof(number));
        return number;
    }
    float number = 0;
    std::memcpy(&number, at, sizeof(number));
    return number;
}

}  // namespace headroom::cuda

#include "core/log/stored_rows.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

template <class T>
void StoredRows<T>::read(size_t begin, std::span<T> out) const {
    h5::prepare();
    try {
        const std::lock_guard lock((*log_)->mutex);
        if ((*log_)->stamp().bytes < least_bytes_) throw h5::Error("it was cut short");
        column_.read(begin, out);
    } catch (const h5::Error& error) {
        throw UserError(
            fmt::format("{} can no longer be read: {}", path_.string(), error.what()),
            "restore it from a copy, or remove it and train the run again (study run --retry)");
    }
}

template class StoredRows<int64_t>;
template class StoredRows<uint64_t>;
template class StoredRows<float>;
template class StoredRows<double>;

}  // namespace headroom

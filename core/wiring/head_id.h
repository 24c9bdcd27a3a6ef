#pragma once

#include <cstdint>

namespace headroom {

/// The two tables of a wiring: what heads read as keys, and as values.
enum class KvTable : uint8_t { kKeys, kValues };

/// A head of a layer, both counted from 0: a key/value head where a table is meant, else a query
/// head.
struct HeadId {
    int layer = 0;
    int head = 0;

    bool operator==(const HeadId&) const = default;
};

/// A head of one table.
struct TableHead {
    KvTable table = KvTable::kKeys;
    HeadId head;

    bool operator==(const TableHead&) const = default;
};

}  // namespace headroom

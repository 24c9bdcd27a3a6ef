#include "core/wiring/wiring_groups.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/wiring/source_rules.h"

namespace headroom {
namespace {

size_t index(int i) {
    return static_cast<size_t>(i);
}

/// One table with other groups: projections are called by the new head that they are for until all
/// are numbered.
class Regrouping {
  public:
    Regrouping(const SourceTable& table, int n_old, int n_new)
        : table_(table), n_old_(n_old), n_new_(n_new) {}

    SourceTable result() const {
        SourceTable regrouped(table_.size());
        for (size_t layer = 0; layer < table_.size(); ++layer)
            for (int g = 0; g < n_new_; ++g) regrouped[layer].push_back(sources(layer, g));
        number(regrouped);
        return regrouped;
    }

  private:
    /// Where the source of new head `g` lies that was the old head `column`.
    int new_column(int g, int column) const {
        if (n_new_ < n_old_) return column * n_new_ / n_old_;
        const int from = g * n_old_ / n_new_;
        return std::clamp(g + (column - from) * n_new_ / n_old_, 0, n_new_ - 1);
    }

    HeadSources sources(size_t layer, int g) const {
        HeadSources read;
        for (HeadSource source : table_[layer][index(g * n_old_ / n_new_)]) {
            source.head = new_column(g, column_of(table_, source));
            const auto same = std::find_if(read.begin(), read.end(), [&](const HeadSource& there) {
                return there.layer == source.layer && there.head == source.head;
            });
            if (same == read.end()) {
                read.push_back(source);
            } else if (same->learned != SourceWeight::kFixed ||
                       source.learned != SourceWeight::kFixed) {
                throw UserError(
                    fmt::format("layer {} head {} would read layer {} twice with a learned weight",
                                layer, g, source.layer));
            } else {
                same->weight += source.weight;
            }
        }
        std::erase_if(read, [](const HeadSource& source) { return source.weight == 0.0; });
        return read;
    }

    /// Those that are read, without gaps.
    static void number(SourceTable& table) {
        std::vector<std::set<int>> read(table.size());
        for (const auto& heads : table)
            for (const HeadSources& sources : heads)
                for (const HeadSource& source : sources)
                    read[index(source.layer)].insert(source.head);
        for (auto& heads : table)
            for (HeadSources& sources : heads)
                for (HeadSource& source : sources) {
                    const std::set<int>& order = read[index(source.layer)];
                    source.head =
                        static_cast<int>(std::distance(order.begin(), order.find(source.head)));
                }
    }

    const SourceTable& table_;
    int n_old_, n_new_;
};

}  // namespace

WiringEditResult with_kv_heads(const Wiring& wiring, int n_kv_head) {
    try {
        check_wiring_size(wiring.n_layer, wiring.n_head, n_kv_head);
        if (!wiring.latents.empty())
            throw UserError(
                "latent attention makes the keys and values of all heads of one latent");
        Wiring result = wiring;
        result.n_kv_head = n_kv_head;
        result.keys = Regrouping(wiring.keys, wiring.n_kv_head, n_kv_head).result();
        result.values = Regrouping(wiring.values, wiring.n_kv_head, n_kv_head).result();
        derive_own_heads(result);
        check_wiring(result);
        return {std::move(result), ""};
    } catch (const UserError& error) {
        return {std::nullopt, error.what()};
    }
}

}  // namespace headroom

#include "core/wiring/wiring_edit.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/wiring/source_rules.h"

namespace headroom {
namespace {

/// Projections that an edit makes are called kNew + the head that they are for until all are
/// numbered again; far above any head.
constexpr int kNew = 1 << 24;

/// One table while it is edited.
class TableEditor {
  public:
    TableEditor(SourceTable& table, const WiringEdit& edit, KvTable which)
        : table_(table), before_(table), edit_(edit), which_(which) {}

    void change(HeadId reader) {
        HeadSources& read = table_[at(reader.layer)][at(reader.head)];
        const HeadId chosen{edit_.layer == WiringEdit::kOwnLayer ? reader.layer : edit_.layer,
                            edit_.head.value_or(reader.head)};
        switch (edit_.kind) {
            case WiringEdit::Kind::kOwn:
                read = {own(reader)};
                return;
            case WiringEdit::Kind::kNothing:
                read.clear();
                return;
            case WiringEdit::Kind::kRead:
                read = sources_of(reader, chosen, weight());
                return;
            case WiringEdit::Kind::kAdd:
                return add(reader, read, sources_of(reader, chosen, weight()));
            case WiringEdit::Kind::kWeigh:
                return weigh(find(read, chosen));
            case WiringEdit::Kind::kDrop:
                read.erase(read.begin() + (&find(read, chosen) - read.data()));
                return;
            case WiringEdit::Kind::kCopy:
                read = copied(reader);
                return;
            case WiringEdit::Kind::kMirror:
                read = mirrored(reader);
                return;
            case WiringEdit::Kind::kReverse:
                read = reversed(reader);
                return;
            case WiringEdit::Kind::kRule:
                read = ruled(reader);
                return;
        }
        CHECK(false, "unknown edit");
    }

    /// Numbers the projections of every layer that lost or got one. For which heads they are, given
    /// for which they were.
    std::vector<std::vector<int>> renumber(const std::vector<std::vector<int>>& were) {
        std::vector<std::vector<int>> are;
        for (int layer = 0; layer < n_layer(); ++layer) {
            const std::vector<int> order = projections(layer);
            if (order.size() > at(n_head()))
                throw UserError(
                    fmt::format("layer {} would project {} heads, more than the {} it has", layer,
                                order.size(), n_head()));
            for (auto& heads : table_)
                for (HeadSources& sources : heads)
                    for (HeadSource& source : sources)
                        if (source.layer == layer) source.head = place_in(order, source.head);
            are.emplace_back();
            for (const int projection : order)
                are.back().push_back(projection >= kNew ? projection - kNew
                                                        : were[at(layer)][at(projection)]);
        }
        return are;
    }

  private:
    static size_t at(int index) { return static_cast<size_t>(index); }
    int n_layer() const { return static_cast<int>(table_.size()); }
    int n_head() const { return static_cast<int>(table_.front().size()); }

    /// What the layer itself projects for a head: the first of its own that it reads.
    const HeadSource* own_source(HeadId place) const {
        const HeadSources& read = table_[at(place.layer)][at(place.head)];
        const auto found = std::find_if(read.begin(), read.end(), [&](const HeadSource& source) {
            return source.layer == place.layer;
        });
        return found == read.end() ? nullptr : &*found;
    }

    bool is_read_in_its_layer(int layer, int projection) const {
        for (const HeadSources& read : table_[at(layer)])
            for (const HeadSource& source : read)
                if (source.layer == layer && source.head == projection) return true;
        return false;
    }

    bool is_read(int layer, int projection) const {
        for (const auto& heads : table_)
            for (const HeadSources& read : heads)
                for (const HeadSource& source : read)
                    if (source.layer == layer && source.head == projection) return true;
        return false;
    }

    /// A head that gave its own away to later layers gets it back; else a new one.
    HeadSource own(HeadId place) const {
        if (const HeadSource* kept = own_source(place)) return {place.layer, kept->head};
        const bool waits =
            is_read(place.layer, place.head) && !is_read_in_its_layer(place.layer, place.head);
        return {place.layer, waits ? place.head : kNew + place.head};
    }

    void check_place(HeadId reader, HeadId source) const {
        if (source.layer < 0 || source.layer >= n_layer() || source.head < 0 ||
            source.head >= n_head())
            throw UserError(
                fmt::format("layer {} head {} is not in a table of {} layers with {} "
                            "key/value heads",
                            source.layer, source.head, n_layer(), n_head()));
        if (source.layer > reader.layer)
            throw UserError(fmt::format("layer {} cannot read layer {}, which comes after it",
                                        reader.layer, source.layer));
    }

    /// What reading `source` means, with the weight of `how`.
    HeadSources sources_of(HeadId reader, HeadId source, const HeadSource& how) const {
        check_place(reader, source);
        HeadSource one = how;
        one.layer = source.layer;
        if (source == reader) {
            one.head = own(reader).head;
            return {one};
        }
        if (const HeadSource* projected = own_source(source)) {
            one.head = projected->head;
            return {one};
        }
        HeadSources read = table_[at(source.layer)][at(source.head)];
        for (HeadSource& part : read) {
            if (part.learned != SourceWeight::kFixed || how.learned != SourceWeight::kFixed)
                throw UserError(
                    fmt::format("layer {} projects no head {} that a learned weight "
                                "could stand at",
                                source.layer, source.head));
            part.weight *= how.weight;
        }
        return read;
    }

    void add(HeadId reader, HeadSources& read, const HeadSources& more) const {
        for (const HeadSource& source : more) {
            for (const HeadSource& there : read)
                if (there.layer == source.layer && there.head == source.head)
                    throw UserError(fmt::format("layer {} head {} reads it already", reader.layer,
                                                reader.head));
            read.push_back(source);
        }
    }

    HeadSource& find(HeadSources& read, HeadId source) const {
        if (source.layer >= 0 && source.layer < n_layer() && source.head >= 0 &&
            source.head < n_head())
            if (const HeadSource* projected = own_source(source))
                for (HeadSource& there : read)
                    if (there.layer == source.layer && there.head == projected->head) return there;
        throw UserError(fmt::format("what layer {} projects for head {} is not among what is read",
                                    source.layer, source.head));
    }

    void weigh(HeadSource& source) const {
        source.learned = edit_.learned;
        source.weight = edit_.learned == SourceWeight::kFixed    ? edit_.weight
                        : edit_.learned == SourceWeight::kLambda ? kInitialLambda
                                                                 : 1.0 - kInitialLambda;
    }

    HeadSource weight() const {
        HeadSource how;
        weigh(how);
        return how;
    }

    void check_pattern() const {
        if (edit_.layer < 0 || edit_.span < 1 || edit_.layer > n_layer() - edit_.span)
            throw UserError(fmt::format("layers {} to {} are not in a table of {} layers",
                                        edit_.layer, edit_.layer + edit_.span - 1, n_layer()));
    }

    bool is_in_pattern(int layer) const {
        return layer >= edit_.layer && layer < edit_.layer + edit_.span;
    }

    HeadSources copied(HeadId reader) const {
        check_pattern();
        check_place(reader, {edit_.layer, reader.head});
        const int model = edit_.layer + (reader.layer - edit_.layer) % edit_.span;
        if (model == reader.layer) return table_[at(reader.layer)][at(reader.head)];
        return moved(reader, {model, reader.head}, [&](HeadId place) {
            if (is_in_pattern(place.layer)) place.layer += reader.layer - model;
            return place;
        });
    }

    HeadSources mirrored(HeadId reader) const {
        const auto turned = [&](HeadId place) {
            return HeadId{place.layer, n_head() - 1 - place.head};
        };
        return moved(reader, turned(reader), turned);
    }

    HeadSources reversed(HeadId reader) const {
        check_pattern();
        if (!is_in_pattern(reader.layer))
            throw UserError(fmt::format("layer {} is not among layers {} to {}", reader.layer,
                                        edit_.layer, edit_.layer + edit_.span - 1));
        const auto turned = [&](HeadId place) {
            if (is_in_pattern(place.layer))
                place.layer = 2 * edit_.layer + edit_.span - 1 - place.layer;
            return place;
        };
        return moved(reader, turned(reader), turned);
    }

    /// What `model` read before the edit, each source in the place that `place_of` gives it.
    template <class PlaceOf>
    HeadSources moved(HeadId reader, HeadId model, PlaceOf place_of) const {
        HeadSources read;
        for (const HeadSource& source : before_[at(model.layer)][at(model.head)]) {
            const HeadId from{source.layer, column_of(before_, source)};
            const HeadId place = place_of(from);
            add(reader, read,
                place == from && place != reader ? HeadSources{source}
                                                 : sources_of(reader, place, source));
        }
        return read;
    }

    /// The rule's table names projections of the rule's own numbering: its heads are looked up.
    HeadSources ruled(HeadId reader) {
        if (rule_.empty()) rule_ = source_table(edit_.choice, which_, {n_layer(), n_head()});
        HeadSources read;
        for (HeadSource source : rule_[at(reader.layer)][at(reader.head)]) {
            const HeadId place{source.layer, column_of(rule_, source)};
            const HeadSource* projected = place == reader ? nullptr : own_source(place);
            if (place != reader && projected == nullptr)
                throw UserError(
                    fmt::format("layer {} projects no head {} to read", place.layer, place.head));
            source.head = place == reader ? own(reader).head : projected->head;
            read.push_back(source);
        }
        return read;
    }

    /// Those of a layer that are read, in their new order: as they were, a new one before the first
    /// that belongs to a later head.
    std::vector<int> projections(int layer) const {
        std::map<int, int> column;  // of each projection: the head of its layer that reads it
        for (const auto& heads : table_)
            for (const HeadSources& read : heads)
                for (const HeadSource& source : read)
                    if (source.layer == layer) column.emplace(source.head, source.head % kNew);
        for (int g = n_head() - 1; g >= 0; --g)
            for (const HeadSource& source : table_[at(layer)][at(g)])
                if (source.layer == layer) column[source.head] = g;
        std::vector<int> order;
        for (const auto& [projection, g] : column) {
            auto place = order.end();
            if (projection >= kNew)
                place = std::find_if(order.begin(), order.end(), [&, group = g](int other) {
                    return column.at(other) > group;
                });
            order.insert(place, projection);
        }
        return order;
    }

    static int place_in(const std::vector<int>& order, int projection) {
        return static_cast<int>(std::find(order.begin(), order.end(), projection) - order.begin());
    }

    SourceTable& table_;
    const SourceTable before_;
    const WiringEdit& edit_;
    KvTable which_;
    SourceTable rule_;
};

WiringEditResult edited(const Wiring& wiring, const WiringEdit& edit, ProjectedHeads projected) {
    if (edit.heads.empty()) throw UserError("no head is chosen");
    Wiring result = wiring;
    for (const KvTable which : {KvTable::kKeys, KvTable::kValues}) {
        auto& heads_of = which == KvTable::kKeys ? projected.keys : projected.values;
        std::vector<HeadId> heads;
        for (const TableHead& chosen : edit.heads)
            if (chosen.table == which) heads.push_back(chosen.head);
        if (heads.empty()) continue;
        std::sort(heads.begin(), heads.end(), [](HeadId a, HeadId b) {
            return a.layer != b.layer ? a.layer < b.layer : a.head < b.head;
        });
        TableEditor table(which == KvTable::kKeys ? result.keys : result.values, edit, which);
        for (const HeadId head : heads) {
            if (head.layer < 0 || head.layer >= wiring.n_layer || head.head < 0 ||
                head.head >= wiring.n_kv_head)
                throw UserError(
                    fmt::format("layer {} head {} is not in the table", head.layer, head.head));
            table.change(head);
        }
        heads_of = table.renumber(heads_of);
    }
    derive_own_heads(result);
    check_wiring(result);
    return {std::move(result), "", std::move(projected)};
}

std::vector<std::vector<int>> projected_heads(const SourceTable& table,
                                              const std::vector<int>& own_heads) {
    std::vector<std::vector<int>> heads(own_heads.size());
    for (size_t layer = 0; layer < own_heads.size(); ++layer)
        for (int projection = 0; projection < own_heads[layer]; ++projection)
            heads[layer].push_back(column_of(table, {static_cast<int>(layer), projection}));
    return heads;
}

std::string misplaced(const std::vector<std::vector<int>>& heads,
                      const std::vector<std::vector<int>>& in_table) {
    for (size_t layer = 0; layer < heads.size(); ++layer)
        for (size_t i = 0; i < heads[layer].size(); ++i)
            if (heads[layer][i] != in_table[layer][i])
                return fmt::format(
                    "in layer {} what is projected for head {} would count as head {}'s", layer,
                    heads[layer][i], in_table[layer][i]);
    return "";
}

}  // namespace

int column_of(const SourceTable& table, const HeadSource& source) {
    const auto& heads = table[static_cast<size_t>(source.layer)];
    int reader = -1;
    for (size_t g = 0; g < heads.size(); ++g)
        for (bool first = true; const HeadSource& own : heads[g]) {
            if (own.layer != source.layer) continue;
            if (own.head == source.head && first) return static_cast<int>(g);
            if (own.head == source.head && reader < 0) reader = static_cast<int>(g);
            first = false;
        }
    return reader < 0 ? source.head : reader;
}

ProjectedHeads projected_heads(const Wiring& wiring) {
    return {projected_heads(wiring.keys, wiring.own_key_heads),
            projected_heads(wiring.values, wiring.own_value_heads)};
}

std::string misplaced(const Wiring& wiring, const ProjectedHeads& heads) {
    const ProjectedHeads in_table = projected_heads(wiring);
    const std::string of_keys = misplaced(heads.keys, in_table.keys);
    return of_keys.empty() ? misplaced(heads.values, in_table.values) : of_keys;
}

void check_projected(const Wiring& wiring, const ProjectedHeads& heads) {
    if (const std::string line = misplaced(wiring, heads); !line.empty())
        throw UserError("trained weights cannot be laid under this wiring: " + line,
                        "let the later head read the earlier one");
}

WiringEditResult apply(const Wiring& wiring, const WiringEdit& edit,
                       const ProjectedHeads& projected) {
    try {
        return edited(wiring, edit, projected);
    } catch (const UserError& error) {
        return {std::nullopt, error.what()};
    }
}

WiringEditResult apply(const Wiring& wiring, const WiringEdit& edit) {
    return apply(wiring, edit, projected_heads(wiring));
}

}  // namespace headroom

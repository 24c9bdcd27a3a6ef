#include "panels/architecture/rails_layout.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr double kRailStart = 6, kRailStep = 5;
constexpr double kStreamStep = 3.4;
constexpr double kEdgeStub = 2.2;  ///< of edges that enter and leave one side, from its middle

using Routes = std::map<std::pair<Ink, int>, std::set<int>>;

void add_lane(Routes& routes, Ink ink, const LaneFacts& facts, int row,
              const std::vector<LayerRow>& rows) {
    for (const LayerShare& share : facts.shares) {
        const int source = row_of(rows, share.layer);
        if (source != row) routes[{ink, source}].insert(row);
    }
}

/// Values run right of the column, keys and latents left of it.
bool runs_right(Ink ink) {
    return ink == Ink::kValues;
}

std::string row_id(const std::vector<LayerRow>& rows, int row) {
    return fmt::format("layer.{}", rows[static_cast<size_t>(row)].layers.front());
}

bool is_read_by(const Rail& rail, int row) {
    return std::binary_search(rail.readers.begin(), rail.readers.end(), row);
}

double middle_of(const ColumnPlaces& places, int row) {
    const auto at = static_cast<size_t>(row);
    return (places.tops[at] + places.bottoms[at]) / 2;
}

/// Where an edge enters a row: several from different sources lie one above the other.
double entry_of(const std::vector<Rail>& rails, const Rail& rail, int row,
                const ColumnPlaces& places) {
    int count = 0, place = 0;
    bool also_source = false;
    for (const Rail& other : rails) {
        if (other.ink != rail.ink) continue;
        if (other.source == row) also_source = true;
        if (!is_read_by(other, row)) continue;
        if (&other == &rail) place = count;
        ++count;
    }
    const double middle = middle_of(places, row) - (also_source ? kEdgeStub : 0);
    const double room = also_source ? 4.4 : 8.8;
    return count == 1 ? middle : middle + room * ((place + 0.5) / count - 0.5);
}

/// Where it leaves its source: above the middle if others enter there.
double exit_of(const std::vector<Rail>& rails, const Rail& rail, const ColumnPlaces& places) {
    for (const Rail& other : rails)
        if (other.ink == rail.ink && is_read_by(other, rail.source))
            return middle_of(places, rail.source) + 1.6 * kEdgeStub;
    return middle_of(places, rail.source);
}

/// What the averages of a row read, as rows: -1 the embedding. What comes straight from the row
/// itself needs no detour.
std::set<int> averaged_rows(const ArchitectureView& view, const std::vector<LayerRow>& rows,
                            int row) {
    std::set<int> sources;
    for (const int layer : rows[static_cast<size_t>(row)].layers)
        for (const int stream : view.layers[static_cast<size_t>(layer)].averaged)
            sources.insert(stream == 0 ? -1 : row_of(rows, stream - 1));
    sources.erase(row);
    return sources;
}

}  // namespace

std::vector<Rail> find_rails(const ArchitectureView& view, const std::vector<LayerRow>& rows) {
    Routes routes;
    for (int l = 0; l < std::ssize(view.layers); ++l) {
        const LayerFacts& facts = view.layers[l];
        const int row = row_of(rows, l);
        add_lane(routes, Ink::kKeys, facts.keys, row, rows);
        add_lane(routes, Ink::kValues, facts.values, row, rows);
        if (!facts.latent || facts.latent->source < 0) continue;
        const int source = row_of(rows, facts.latent->source);
        if (source != row) routes[{Ink::kLatent, source}].insert(row);
    }
    std::vector<Rail> rails;
    for (const auto& [route, readers] : routes)
        rails.push_back({route.first, route.second, {readers.begin(), readers.end()}});
    const auto length = [](const Rail& rail) { return rail.readers.back() - rail.source; };
    std::stable_sort(rails.begin(), rails.end(),
                     [&](const Rail& a, const Rail& b) { return length(a) < length(b); });
    for (size_t i = 0; i < rails.size(); ++i) {
        std::set<int> taken;
        for (size_t j = 0; j < i; ++j)
            if (runs_right(rails[j].ink) == runs_right(rails[i].ink) &&
                rails[j].source < rails[i].readers.back() &&
                rails[i].source < rails[j].readers.back())
                taken.insert(rails[j].lane);
        while (taken.contains(rails[i].lane)) ++rails[i].lane;
    }
    return rails;
}

double width_of_rails(const std::vector<Rail>& rails, bool right) {
    int lanes = 0;
    for (const Rail& rail : rails)
        if (runs_right(rail.ink) == right) lanes = std::max(lanes, rail.lane + 1);
    return lanes > 0 ? kRailStart + lanes * kRailStep : 2;
}

void add_rails(DrawingLayout& drawing, const std::vector<Rail>& rails,
               const std::vector<LayerRow>& rows, const ColumnPlaces& places) {
    for (const Rail& rail : rails) {
        const double side = runs_right(rail.ink) ? 1 : -1;
        const double at_box = places.centre + side * ColumnPlaces::kRowWidth / 2;
        const double x = at_box + side * (kRailStart + rail.lane * kRailStep);
        const double start = exit_of(rails, rail, places);
        for (const int reader : rail.readers) {
            const double end = entry_of(rails, rail, reader, places);
            DrawEdge edge;
            edge.kind = EdgeKind::kReuse;
            edge.ink = rail.ink;
            edge.from = row_id(rows, rail.source);
            edge.to = row_id(rows, reader);
            edge.path = {{at_box, start}, {x, start}, {x, end}, {at_box, end}};
            edge.dots = true;
            drawing.edges.push_back(std::move(edge));
        }
    }
}

double add_averages(DrawingLayout& drawing, const ArchitectureView& view,
                    const std::vector<LayerRow>& rows, const ColumnPlaces& places, double left) {
    double free_x = left + 3;
    std::map<int, double> rails;  // by the row that the stream leaves
    for (int row = 0; row < std::ssize(rows); ++row) {
        const LayerRow& reader = rows[static_cast<size_t>(row)];
        for (const int source : averaged_rows(view, rows, row)) {
            const auto [rail, is_new] = rails.try_emplace(source, free_x);
            if (is_new) free_x += kStreamStep;
            DrawEdge edge;
            edge.kind = EdgeKind::kAverage;
            edge.ink = Ink::kDense;
            edge.from = source < 0 ? "embedding" : row_id(rows, source);
            edge.to =
                fmt::format("{}.{}", reader.dots ? "layer" : "average", reader.layers.front());
            const DrawRect end = drawing.find(edge.to)->rect;
            const double x = rail->second, from = source < 0
                                                      ? places.embedding
                                                      : places.outputs[static_cast<size_t>(source)];
            edge.path = {{places.centre, from},
                         {x, from},
                         {x, end.centre().y},
                         {end.right(), end.centre().y}};
            edge.dots = true;
            drawing.edges.push_back(std::move(edge));
        }
    }
    return free_x;
}

}  // namespace headroom

#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "panels/architecture/block_builder_layout.h"

namespace headroom {

inline constexpr double kColumnGap = 5;

/// Queries, keys or values on their way up.
struct Stream {
    char letter;
    Ink ink;
    double x;                          ///< middle of its column
    const LaneFacts* facts = nullptr;  ///< of keys and values
    std::string from{};                ///< last box of what the layer makes itself, "" if nothing
    double y{};                        ///< where that box ends
    std::string name(const char* suffix) const {
        return std::string(1, static_cast<char>(letter + 'a' - 'A')) + suffix;
    }
    bool flows() const { return !from.empty(); }
    /// Some heads come from elsewhere, beside own ones.
    bool is_joined() const {
        return flows() && facts &&
               std::any_of(facts->heads.begin(), facts->heads.end(),
                           [](HeadRole role) { return role != HeadRole::kOwn; });
    }
};

/// Edges from the input to the first box of every stream that flows, whose lower side is at `y`.
void fan_out(BlockBuilder& builder, const std::string& from, DrawPoint start, double y,
             const std::vector<Stream>& streams);

/// A row of small boxes on the streams that flow, such as RoPE. Returns the new height.
double add_row(BlockBuilder& builder, const std::vector<Stream*>& streams, const char* suffix,
               BoxRole role, const std::string& label, double y);

/// The box of attention, fed by these boxes, and the output map above it.
BranchEnd add_attention(BlockBuilder& builder,
                        const std::vector<std::pair<std::string, Stream>>& inputs, double from_y,
                        double left);

/// Attention over a latent from which keys and values are made (MLA).
BranchEnd lay_out_latent_attention(BlockBuilder& builder, const std::string& from, DrawPoint start,
                                   double left);

}  // namespace headroom

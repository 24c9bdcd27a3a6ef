#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/wiring/head_id.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// One change of a wiring table, done to every head of `heads`, from the lowest layer up.
struct WiringEdit {
    static constexpr int kOwnLayer = -1;
    enum class Kind {
        kOwn,      ///< what the layer projects for this head alone
        kNothing,  ///< zero
        kRead,     ///< another head in place of what it reads
        kAdd,      ///< another head besides
        kWeigh,    ///< another weight for a head that it reads
        kDrop,     ///< no longer a head that it reads
        /// What the head of its number reads in the layer that stands in its place in the pattern
        /// of `span` layers from `layer` on, repeated upwards: own for own, and sources within the
        /// pattern move along.
        kCopy,
        kMirror,   ///< what the head at the other end of its layer reads, columns turned round
        kReverse,  ///< the `span` layers from `layer` on in the opposite order, sources with them
        kRule      ///< what a rule of source_rules.h gives it
    };

    Kind kind = Kind::kOwn;
    std::vector<TableHead> heads{};
    /// The head that is read, added, weighed or dropped; without `head` the one of the reader's own
    /// number. A head that its layer does not project stands for what it reads itself.
    int layer = 0;  ///< kOwnLayer: that of each reader
    int span = 1;   ///< kCopy and kReverse: layers of the pattern
    std::optional<int> head{};
    double weight = 1.0;  ///< a learned one starts at kInitialLambda
    SourceWeight learned = SourceWeight::kFixed;
    /// kRule: value_source or key_source names the rule, the rest its options.
    WiringChoice choice{};
};

/// The head of its layer that a projection is for: the first that reads it there before others of
/// its own layer, else the first that reads it there, else the one of its number.
int column_of(const std::vector<std::vector<HeadSources>>& table, const HeadSource& source);

/// For which head of its layer each projection is, [layer][projection]: whose weights it has in a
/// model that is trained. Edits know it; a table alone says column_of().
struct ProjectedHeads {
    std::vector<std::vector<int>> keys, values;

    bool operator==(const ProjectedHeads&) const = default;
};
ProjectedHeads projected_heads(const Wiring& wiring);

/// A line that names a projection which the table gives to another head than `heads` do, as one
/// that comes before reads it: weights cannot be moved so. "": none.
std::string misplaced(const Wiring& wiring, const ProjectedHeads& heads);
/// The same as a UserError.
void check_projected(const Wiring& wiring, const ProjectedHeads& heads);

/// The new table, or one line that says why there is none.
struct WiringEditResult {
    std::optional<Wiring> wiring;
    std::string refusal;
    ProjectedHeads projected = {};  ///< of `wiring`, after edits alone
};

/// Changes nothing but its result; heads that a layer projects are renumbered where the last reader
/// of one goes or one gets its own back: in the order of the heads that read them. The result
/// passes check_wiring. `projected` are those of `wiring`: of its earlier edits, or of the table.
WiringEditResult apply(const Wiring& wiring, const WiringEdit& edit,
                       const ProjectedHeads& projected);
WiringEditResult apply(const Wiring& wiring, const WiringEdit& edit);

/// An edit as one line: TABLE HEADS WHAT, such as
///
///     values 4-7 read 1              values of layers 4 to 7 from layer 1, head by head
///     keys *.2-3 read 0.0            keys of heads 2 and 3 of every layer from head 0 of layer 0
///     values 2.* weigh 2 lambda      values 2.* add 0 1-lambda
///     both 3 own                     values 1.0 nothing
///     values 5 copy 4                values * rule skip
///     both 2-11 copy 0-1             values 1-11 weigh own 0.5
///     values * mirror                keys 2-5 reverse
///
/// TABLE is keys, values or both; HEADS is LAYERS or LAYERS.HEADS, each a number, a range or *;
/// WHAT is own, nothing, read L[.H], add L[.H] [WEIGHT], weigh L[.H] WEIGHT, drop L[.H], copy L or
/// L-L, mirror, reverse or rule NAME, whose options `choice` holds. L is a layer or own, that of
/// each reader; WEIGHT is a number, lambda or 1-lambda. Layers and heads count from 0. UserError
/// for anything else.
WiringEdit parse_wiring_edit(const std::string& line, const Wiring& wiring,
                             const WiringChoice& choice);

/// Whether a table is of a model that has weights already, which rewire() then moves.
enum class EditFor { kNewModel, kWeights };
/// The table after several such lines, each of the table that those before it left. UserError for a
/// line that is none, or that cannot be done; of weights also where all of them together misplace a
/// projection.
Wiring edited(Wiring wiring, const std::vector<std::string>& lines, const WiringChoice& choice,
              EditFor model = EditFor::kNewModel);

}  // namespace headroom

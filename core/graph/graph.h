#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/op.h"

namespace headroom {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

/// What a value is for: decides how long it lives and under which heading the ledger counts it.
enum class Role {
    kParameter,    ///< lives for ever
    kWorkingCopy,  ///< bfloat16 copy of a parameter, remade after every update; lives for ever
    kGradient,     ///< of a parameter; lives for ever, accumulated over micro-batches
    kOptimizer,    ///< moments; lives for ever
    kCache,        ///< keys and values of earlier positions; lives for ever
    kInput,        ///< written by the host before a run; lives for ever
    kResult,       ///< read by the host after a run (losses, taps); lives for ever
    kActivation,   ///< from the node that makes it to its last reader
    kActivationGradient,
};
bool is_persistent(Role role);

/// A run of the program executes one or more phases in turn.
enum class Phase {
    kPrepare,  ///< after weights were written: remake working copies
    kForward,  ///< one micro-batch
    kBackward,
    kUpdate,    ///< clip and optimizer; ends with the working copies remade
    kEvaluate,  ///< loss of one batch without dropout, no gradients
    kDecode,    ///< one token of each sequence, after kForward has taken in the prompt
};

/// How a node writes one of its outputs.
enum class Write : uint8_t {
    kOverwrite,
    kAccumulate,
    kAccumulateAfterFirstMicro,  ///< parameter gradients: overwrite in micro-batch 0, then add
};

struct Value {
    std::string name;
    TensorType type;
    Role role = Role::kActivation;
    /// For a working copy: the parameter it is a copy of, which receives its gradient.
    ValueId master = kNoValue;
};

struct Node {
    OpPtr op;
    std::string name;
    Phase phase = Phase::kForward;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<Write> writes;  ///< one per output
};

/// A static program: named values and the nodes that compute them, in execution order per phase.
/// Built once for a configuration and a shape, then planned and executed many times.
class Graph {
  public:
    /// Adds a value that no node of the graph makes (parameter, input, gradient seed, moments).
    ValueId add_value(std::string name, TensorType type, Role role);

    /// Appends a node to `phase` and its outputs as new values named `names`. Throws UserError if
    /// the shapes do not fit.
    std::vector<ValueId> apply(Phase phase, OpPtr op, std::vector<ValueId> inputs,
                               std::vector<std::string> names, Role role = Role::kActivation);
    /// The same for operators with one output, which names the node too.
    ValueId apply1(Phase phase, OpPtr op, std::vector<ValueId> inputs, const std::string& name,
                   Role role = Role::kActivation);
    /// Appends a node that writes values which exist already (gradients, in-place updates).
    void append(Node node);
    /// Puts another node in the place of one.
    void set_node(size_t index, Node node);
    /// Takes out a node (its outputs stay, to be made by another node).
    void remove_node(size_t index);
    /// Declares how a value lies in memory; every node that reads or makes it must take that.
    void set_layout(ValueId value, MemoryLayout layout) {
        values_[index(value)].type.layout = layout;
    }
    /// Declares that `copy` is a working copy of parameter `master`.
    void set_master(ValueId copy, ValueId master) { values_[index(copy)].master = master; }
    /// A tap: the value outlives its last reader and can be read after the run.
    void keep(ValueId value);

    const Value& value(ValueId id) const { return values_[index(id)]; }
    const std::vector<Value>& values() const { return values_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    std::vector<TensorType> types_of(const std::vector<ValueId>& ids) const;

    /// The value of that name, or kNoValue.
    ValueId find(std::string_view name) const;

  private:
    static size_t index(ValueId id) { return static_cast<size_t>(id); }

    std::vector<Value> values_;
    std::vector<Node> nodes_;
    std::unordered_map<std::string, ValueId> by_name_;
};

}  // namespace headroom

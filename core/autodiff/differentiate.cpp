#include "core/autodiff/differentiate.h"

#include <algorithm>
#include <unordered_set>

#include "core/graph/backward.h"
#include "core/ops/cast.h"

namespace headroom {
namespace {

/// The walk over the forward nodes in reverse. Several forward values may share one gradient buffer
/// (x and f in x + f); `pending_` counts those whose producers have not been differentiated yet. A
/// buffer with more than one of them is copied before anything is added to it.
class Differentiator {
  public:
    Differentiator(Graph& graph, const std::vector<ValueId>& extra_wanted) : graph_(graph) {
        for (const ValueId id : extra_wanted) wanted_.insert(id);
        for (size_t id = 0; id < graph.values().size(); ++id) {
            const Role role = graph.values()[id].role;
            if (role == Role::kParameter || role == Role::kWorkingCopy)
                wanted_.insert(static_cast<ValueId>(id));
        }
        leaves_ = wanted_;
        for (const Node& node : graph.nodes()) {
            if (node.phase != Phase::kForward) continue;
            forward_.push_back(node);
            const bool depends = std::any_of(node.inputs.begin(), node.inputs.end(),
                                             [&](ValueId id) { return wanted_.contains(id); });
            if (depends) wanted_.insert(node.outputs.begin(), node.outputs.end());
        }
    }

    void seed(ValueId output, ValueId gradient) {
        reached_.insert(output);
        if (gradient == kNoValue) return;
        grad_of_[output] = gradient;
        // A seed belongs to the caller: count it twice so that it is never written to.
        pending_[gradient] += 2;
    }

    std::unordered_map<ValueId, ValueId> run() {
        for (auto node = forward_.rbegin(); node != forward_.rend(); ++node) {
            const bool reached = std::any_of(node->outputs.begin(), node->outputs.end(),
                                             [&](ValueId id) { return reached_.contains(id); });
            if (!reached) continue;
            NodeBackward rule(*this, *node);
            node->op->backward(rule);
            if (rule.fused()) remove_forward(*node);
            for (const ValueId id : node->outputs)
                if (const auto it = grad_of_.find(id); it != grad_of_.end()) --pending_[it->second];
        }
        std::unordered_map<ValueId, ValueId> result;
        for (const ValueId leaf : leaves_)
            if (const auto it = grad_of_.find(leaf); it != grad_of_.end()) result.insert(*it);
        return result;
    }

    const TensorType& type_of(ValueId id) const { return graph_.value(id).type; }

    bool wanted(ValueId id) const { return wanted_.contains(id); }

    ValueId gradient(ValueId id) const {
        const auto it = grad_of_.find(id);
        return it == grad_of_.end() ? kNoValue : it->second;
    }

    void emit(const Node& forward, OpPtr op, std::vector<ValueId> inputs,
              const std::vector<size_t>& targets, bool fused) {
        Node node{
            std::move(op), forward.name + ".backward", Phase::kBackward, std::move(inputs), {}, {}};
        if (fused) {
            node.name = forward.name;
            node.outputs = forward.outputs;
            node.writes.assign(forward.outputs.size(), Write::kOverwrite);
        }
        std::vector<std::pair<ValueId, ValueId>> repeated;  // value, its second contribution
        std::unordered_set<ValueId> seen;
        for (const size_t i : targets) {
            const ValueId x = receiver(forward.inputs[i]);
            if (seen.insert(x).second) {
                const auto [gradient, write] = target(x);
                node.outputs.push_back(gradient);
                node.writes.push_back(write);
            } else {
                const ValueId extra = new_gradient(x, Role::kActivationGradient);
                repeated.emplace_back(x, extra);
                node.outputs.push_back(extra);
                node.writes.push_back(Write::kOverwrite);
            }
        }
        check_shapes(node);
        graph_.append(std::move(node));
        for (const auto& [x, extra] : repeated) add_into(x, extra);
    }

    void pass(ValueId input, ValueId gradient) {
        const ValueId x = receiver(input);
        const bool may_share = !grad_of_.contains(x) && !leaves_.contains(x);
        if (may_share) {
            grad_of_[x] = gradient;
            reached_.insert(x);
            ++pending_[gradient];
        } else {
            add_into(x, gradient);
        }
    }

  private:
    /// What the gradient rule of one node is given.
    class NodeBackward : public Backward {
      public:
        NodeBackward(Differentiator& walk, const Node& node) : Backward(node), walk_(walk) {}

        bool fused() const { return fused_; }

        TensorType input_type(size_t i) const override { return walk_.type_of(input(i)); }
        ValueId output_grad(size_t i) const override { return walk_.gradient(output(i)); }
        bool wants(size_t i) const override { return walk_.wanted(input(i)); }
        void emit(OpPtr op, std::vector<ValueId> inputs,
                  const std::vector<size_t>& targets) override {
            walk_.emit(node(), std::move(op), std::move(inputs), targets, false);
        }
        void pass(size_t i, ValueId gradient) override { walk_.pass(input(i), gradient); }
        void emit_fused(OpPtr op, std::vector<ValueId> inputs,
                        const std::vector<size_t>& targets) override {
            fused_ = true;
            walk_.emit(node(), std::move(op), std::move(inputs), targets, true);
        }

      private:
        Differentiator& walk_;
        bool fused_ = false;
    };

    /// The value whose gradient collects what flows into `id`.
    ValueId receiver(ValueId id) const {
        const ValueId master = graph_.value(id).master;
        return master == kNoValue ? id : master;
    }

    ValueId new_gradient(ValueId x, Role role) {
        const Value& value = graph_.value(x);
        TensorType type = value.type;
        if (role == Role::kGradient) type.dtype = accumulator_of(type.dtype);
        std::string name = value.name + ".grad";
        while (graph_.find(name) != kNoValue) name += "+";
        return graph_.add_value(std::move(name), std::move(type), role);
    }

    /// The buffer that the next contribution to the gradient of `x` is written to, and how.
    std::pair<ValueId, Write> target(ValueId x) {
        const bool parameter = graph_.value(x).role == Role::kParameter;
        const auto it = grad_of_.find(x);
        if (it == grad_of_.end()) {
            const Role role = parameter             ? Role::kGradient
                              : leaves_.contains(x) ? Role::kResult
                                                    : Role::kActivationGradient;
            const ValueId gradient = new_gradient(x, role);
            grad_of_[x] = gradient;
            reached_.insert(x);
            ++pending_[gradient];
            return {gradient, parameter ? Write::kAccumulateAfterFirstMicro : Write::kOverwrite};
        }
        if (pending_[it->second] > 1) {
            const ValueId shared = it->second;
            const ValueId own = new_gradient(x, Role::kActivationGradient);
            append_copy(shared, own, Write::kOverwrite);
            --pending_[shared];
            ++pending_[own];
            grad_of_[x] = own;
            return {own, Write::kAccumulate};
        }
        return {it->second, Write::kAccumulate};
    }

    void add_into(ValueId x, ValueId contribution) {
        const auto [gradient, write] = target(x);
        append_copy(contribution, gradient, write);
    }

    void append_copy(ValueId from, ValueId to, Write write) {
        graph_.append({std::make_shared<Cast>(graph_.value(to).type.dtype),
                       graph_.value(to).name,
                       Phase::kBackward,
                       {from},
                       {to},
                       {write}});
    }

    void check_shapes(const Node& node) const {
        const std::vector<TensorType> expected = node.op->infer(graph_.types_of(node.inputs));
        CHECK(expected == graph_.types_of(node.outputs),
              std::string(node.op->name()) + " writes outputs of other types than " + node.name);
    }

    void remove_forward(const Node& forward) {
        const auto& nodes = graph_.nodes();
        for (size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].phase != Phase::kForward || nodes[i].outputs != forward.outputs) continue;
            graph_.remove_node(i);
            return;
        }
    }

    Graph& graph_;
    std::vector<Node> forward_;
    std::unordered_set<ValueId> wanted_, leaves_, reached_;
    std::unordered_map<ValueId, ValueId> grad_of_;
    std::unordered_map<ValueId, int> pending_;
};

}  // namespace

std::unordered_map<ValueId, ValueId> differentiate(
    Graph& graph, const std::vector<std::pair<ValueId, ValueId>>& outputs_and_seeds,
    const std::vector<ValueId>& extra_wanted) {
    Differentiator differentiator(graph, extra_wanted);
    for (const auto& [output, seed] : outputs_and_seeds) differentiator.seed(output, seed);
    return differentiator.run();
}

}  // namespace headroom

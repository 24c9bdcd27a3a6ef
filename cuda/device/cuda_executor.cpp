#include "cuda/device/cuda_executor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/device/arena.h"
#include "cuda/device/node_timer.h"
#include "cuda/device/phase_recorder.h"
#include "cuda/device/scalar_reader.h"
#include "cuda/device/staging_ring.h"
#include "cuda/device/stream.h"
#include "cuda/fusion/fusion.h"

namespace headroom::cuda {
namespace {

/// A node with its addresses and kernels filled in.
struct Launch {
    Kernel kernel;
    const Node* node = nullptr;
    std::string name{};  ///< its row of the benchmark
    std::vector<Tensor> inputs{}, outputs{};
    std::vector<uint8_t> accumulate_first{}, accumulate_later{};
    OpCost cost{};
};

/// Launches of a phase up to the one that makes a number that is watched.
struct Part {
    std::vector<size_t> launches{};
    std::vector<ValueId> made{};
};

/// What libraries of products like the start of their scratch to be a multiple of.
constexpr int64_t kScratchAlignment = 256;

int64_t scratch_aligned(int64_t bytes) {
    return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

/// Kernels of one executor run one after the other on a stream of its own; copies wait for them.
class CudaExecutor : public Executor {
  public:
    CudaExecutor(const Graph& graph, std::unique_ptr<GemmLibrary> products, std::string_view device,
                 MakeAllReduce make_all_reduce)
        : graph_(graph),
          gemms_(std::move(products)),
          kernels_(make_kernels(graph)),
          fusions_(find_fusions(graph)),
          plan_(plan_memory(graph, [&](const Node& node) { return scratch_of(node); })),
          arena_(make_arena(plan_.ledger, device)),
          make_all_reduce_(make_all_reduce),
          timer_(graph.nodes().size()) {
        gemms_->set_workspace(arena_.data() + scratch_aligned(plan_.workspace_offset));
        clear_persistent();
        for (size_t v = 0; v < graph.values().size(); ++v) {
            const int64_t offset = plan_.values[v].offset;
            tensors_.push_back(
                {offset < 0 ? nullptr : arena_.data() + offset, graph.values()[v].type});
        }
        for (size_t n = 0; n < graph.nodes().size(); ++n)
            launches_.push_back(make_launch(graph.nodes()[n], std::move(kernels_[n])));
        fuse();
        split_phases();
    }

    /// Copies and graphs that are under way still use what is given back.
    ~CudaExecutor() override { cudaStreamSynchronize(stream_.get()); }
    CudaExecutor(const CudaExecutor&) = delete;
    CudaExecutor& operator=(const CudaExecutor&) = delete;

    const Graph& graph() const override { return graph_; }
    const Plan& plan() const override { return plan_; }
    int64_t allocated_bytes() const override { return static_cast<int64_t>(arena_.bytes()); }

    void write(ValueId value, std::span<const std::byte> bytes) override {
        staging_.send(tensor_of(value, bytes.size()).data, bytes, stream_.get());
    }
    void read(ValueId value, std::span<std::byte> bytes) const override {
        copy_out(bytes, tensor_of(value, bytes.size()).data);
    }
    void read_part(ValueId value, int64_t first, std::span<std::byte> bytes) const override {
        const Tensor& tensor = tensors_[static_cast<size_t>(value)];
        CHECK(first >= 0 && first + std::ssize(bytes) <= tensor.type.bytes(),
              "a part inside " + graph_.value(value).name);
        CHECK(tensor.data != nullptr, graph_.value(value).name + " has no memory");
        copy_out(bytes, tensor.as<std::byte>() + first);
    }
    void watch(ValueId scalar) override {
        CHECK(is_persistent(graph_.value(scalar).role) && graph_.value(scalar).type.count() == 1,
              graph_.value(scalar).name + " is a result of one element");
        watched_.push_back(scalar);
        split_phases();
    }
    double watched(ValueId scalar) const override {
        return scalars_.knows(scalar) ? scalars_.finish(scalar) : read_scalar(*this, scalar);
    }

    void run(Phase phase, const StepContext& step) override {
        send_step(step);
        if (timing_) keep_device_busy();
        const std::vector<Part>& parts = parts_[static_cast<size_t>(phase)];
        for (size_t p = 0; p < parts.size(); ++p) {
            const bool first_micro = step.micro == 0;
            const auto launch = [&] { run_part(parts[p], first_micro); };
            if (timing_)
                launch();
            else
                recorder_.run({phase, first_micro, p}, stream_.get(), launch);
            for (const ValueId made : parts[p].made)
                scalars_.start(made, tensors_[static_cast<size_t>(made)], stream_.get());
        }
        warn_if_not_recorded();
    }

    void all_reduce_mean(std::span<const ValueId> values, ProcessGroup& group) override {
        if (group.is_alone()) return;
        if (!all_reduce_) all_reduce_ = make_all_reduce_(group);
        all_reduce_->all_reduce_mean(regions_of(values, graph_, plan_), arena_.data(),
                                     stream_.get());
    }

    /// Node by node, so that the value that is named is the first.
    std::string find_nonfinite(Phase phase, const StepContext& step) override {
        send_step(step);
        for (Launch& launch : launches_) {
            if (launch.node->phase != phase) continue;
            run_one(launch, step.micro == 0);
            for (size_t i = 0; i < launch.outputs.size(); ++i)
                if (!all_finite(launch.outputs[i]))
                    return fmt::format("{} ({})", graph_.value(launch.node->outputs[i]).name,
                                       launch.node->op->name());
        }
        return "";
    }

    void set_timing(bool on) override {
        timing_ = on;
        timer_.reset();
    }
    std::vector<OpTime> times() const override {
        const std::vector<NodeTimer::Total>& totals = timer_.totals();
        std::vector<OpTime> rows;
        for (size_t n = 0; n < program_.size(); ++n)
            add_time(rows, program_[n]->name, totals[n].seconds, totals[n].launches,
                     program_[n]->cost);
        sort_times(rows);
        return rows;
    }

  private:
    const Tensor& tensor_of(ValueId id, size_t bytes) const {
        const Tensor& tensor = tensors_[static_cast<size_t>(id)];
        CHECK(tensor.data != nullptr, graph_.value(id).name + " has no memory");
        CHECK(static_cast<int64_t>(bytes) == tensor.type.bytes(),
              fmt::format("{} holds {} bytes, not {}", graph_.value(id).name, tensor.type.bytes(),
                          bytes));
        return tensor;
    }

    void copy_out(std::span<std::byte> to, const void* from) const {
        check(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream_.get()),
              "copy memory");
        stream_.wait();
    }

    static std::vector<Kernel> make_kernels(const Graph& graph) {
        std::vector<Kernel> kernels;
        for (const Node& node : graph.nodes())
            kernels.push_back(make_kernel(*node.op, graph.types_of(node.inputs)));
        return kernels;
    }

    /// The products' scratch, then that of the kernel; and what aligning the first may lose.
    int64_t scratch_of(const Node& node) const {
        const auto n = static_cast<size_t>(&node - graph_.nodes().data());
        int64_t bytes = kernels_[n].workspace_bytes;
        for (const Fusion& fusion : fusions_)
            if (fusion.nodes.front() == n) bytes = std::max(bytes, fusion.kernel.workspace_bytes);
        return kScratchAlignment + scratch_aligned(gemms_->workspace_bytes()) + bytes;
    }
    std::byte* kernel_scratch() const {
        return arena_.data() + scratch_aligned(plan_.workspace_offset) +
               scratch_aligned(gemms_->workspace_bytes());
    }

    /// Weights, gradients, moments and caches begin at zero; they lie before all others.
    void clear_persistent() {
        const int64_t bytes = plan_.workspace_offset - plan_.ledger.activations;
        check(cudaMemsetAsync(arena_.data(), 0, static_cast<size_t>(bytes), stream_.get()),
              "clear memory");
    }

    /// What kernels read of the moment: sent before its launches, in the same stream.
    void send_step(const StepContext& step) {
        staging_.send(step_.data(), std::as_bytes(std::span(&step, 1)), stream_.get());
    }

    /// Work of about 0.1 ms on a fast device, so that the host is ahead with the kernels that are
    /// timed: on an idle device the times of short ones would be those of the host's calls. It
    /// fills the products' scratch, which is garbage between kernels.
    void keep_device_busy() {
        constexpr int kFills = 8;
        std::byte* scratch = arena_.data() + scratch_aligned(plan_.workspace_offset);
        const auto bytes = static_cast<size_t>(gemms_->workspace_bytes());
        for (int i = 0; i < kFills; ++i)
            check(cudaMemsetAsync(scratch, 0, bytes, stream_.get()), "clear memory");
    }

    Launch make_launch(const Node& node, Kernel kernel) const {
        Launch launch{.kernel = std::move(kernel), .node = &node};
        if (node.op) launch.name = node.op->name();
        for (const ValueId id : node.inputs)
            launch.inputs.push_back(tensors_[static_cast<size_t>(id)]);
        for (const ValueId id : node.outputs)
            launch.outputs.push_back(tensors_[static_cast<size_t>(id)]);
        for (const Write write : node.writes) {
            launch.accumulate_first.push_back(write == Write::kAccumulate);
            launch.accumulate_later.push_back(write != Write::kOverwrite);
        }
        if (node.op) launch.cost = node.op->cost(graph_.types_of(node.inputs));
        return launch;
    }

    /// What runs: fusions where the plan allows them, and the nodes that are in none.
    void fuse() {
        std::erase_if(fusions_, [&](const Fusion& fusion) { return !fits(fusion, plan_); });
        fused_.reserve(fusions_.size());
        for (size_t n = 0; n < launches_.size(); ++n) program_.push_back(&launches_[n]);
        for (Fusion& fusion : fusions_) {
            fused_.push_back(make_launch(fusion.node, std::move(fusion.kernel)));
            fused_.back().name = fusion.name;
            fused_.back().cost = fusion.cost;
            for (const size_t n : fusion.nodes) program_[n] = nullptr;
            program_[fusion.nodes.front()] = &fused_.back();
        }
        std::erase(program_, nullptr);
    }

    /// Parts end where a watched number is made, so that it goes to the host at once.
    void split_phases() {
        for (std::vector<Part>& parts : parts_) parts.clear();
        for (size_t n = 0; n < program_.size(); ++n) {
            std::vector<Part>& parts = parts_[static_cast<size_t>(program_[n]->node->phase)];
            if (parts.empty() || !parts.back().made.empty()) parts.emplace_back();
            parts.back().launches.push_back(n);
            for (const ValueId made : program_[n]->node->outputs)
                if (std::count(watched_.begin(), watched_.end(), made) > 0)
                    parts.back().made.push_back(made);
        }
    }

    void run_part(const Part& part, bool first_micro) {
        for (const size_t n : part.launches) {
            if (timing_) timer_.start(n, stream_.get());
            run_one(*program_[n], first_micro);
            if (timing_) timer_.stop(stream_.get());
        }
    }

    void run_one(Launch& launch, bool first_micro) {
        launch.kernel.launch({launch.inputs, launch.outputs,
                              first_micro ? launch.accumulate_first : launch.accumulate_later,
                              kernel_scratch(), reinterpret_cast<const StepContext*>(step_.data()),
                              *gemms_, stream_.get()});
    }

    /// Slower, but right: so a line, once, and no error.
    void warn_if_not_recorded() {
        if (warned_ || recorder_.problem().empty()) return;
        warned_ = true;
        fmt::print(stderr, "warning: kernels are started one by one, since {}\n",
                   recorder_.problem());
    }

    bool all_finite(const Tensor& tensor) const {
        if (tensor.type.dtype == DType::kI32 || tensor.type.dtype == DType::kU8) return true;
        bool finite = true;
        dispatch_float(tensor.type.dtype, [&]<class T>(T) {
            std::vector<T> host(static_cast<size_t>(tensor.count()));
            copy_out(std::as_writable_bytes(std::span(host)), tensor.data);
            finite = std::all_of(host.begin(), host.end(),
                                 [](T x) { return std::isfinite(static_cast<double>(x)); });
        });
        return finite;
    }

    const Graph& graph_;
    std::unique_ptr<GemmLibrary> gemms_;
    std::vector<Kernel> kernels_;  ///< until they are the launches'
    std::vector<Fusion> fusions_;
    Plan plan_;
    DeviceMemory arena_;
    DeviceMemory step_{sizeof(StepContext)};
    Stream stream_;
    StagingRing staging_;
    ScalarReader scalars_;
    MakeAllReduce make_all_reduce_;
    std::unique_ptr<AllReduce> all_reduce_;  ///< of the group that it was made for
    mutable NodeTimer timer_;                ///< reading it waits for the device
    std::vector<Tensor> tensors_;
    std::vector<Launch> launches_;  ///< one for each node
    std::vector<Launch> fused_;
    std::vector<Launch*> program_;  ///< in order
    std::vector<ValueId> watched_;
    std::array<std::vector<Part>, 6> parts_;  ///< of each phase
    PhaseRecorder recorder_;
    bool timing_ = false, warned_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_cuda_executor(const Graph& graph,
                                             std::unique_ptr<GemmLibrary> products,
                                             std::string_view device,
                                             MakeAllReduce make_all_reduce) {
    return std::make_unique<CudaExecutor>(graph, std::move(products), device, make_all_reduce);
}

}  // namespace headroom::cuda

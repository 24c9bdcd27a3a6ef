#include "cuda/cuda_device.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/device_memory.h"
#include "cuda/fusion.h"
#include "cuda/stream.h"

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
    double seconds = 0;
    int64_t launches = 0;
};

DeviceMemory make_arena(const MemoryLedger& ledger) {
    size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "tell its free memory");
    if (static_cast<size_t>(ledger.total) > free) throw not_enough_memory(ledger);
    return DeviceMemory(static_cast<size_t>(std::max<int64_t>(ledger.total, kArenaAlignment)));
}

/// Kernels of one executor run one after the other on a stream of its own; copies wait for them.
class CudaExecutor : public Executor {
  public:
    CudaExecutor(const Graph& graph, std::unique_ptr<Products> products)
        : graph_(graph),
          kernels_(make_kernels(graph)),
          fusions_(find_fusions(graph)),
          plan_(plan_memory(graph, [&](const Node& node) { return scratch_of(node); })),
          arena_(make_arena(plan_.ledger)),
          products_(std::move(products)) {
        check(cudaMemsetAsync(arena_.data(), 0, arena_.bytes(), stream_.get()), "clear memory");
        for (size_t v = 0; v < graph.values().size(); ++v) {
            const int64_t offset = plan_.values[v].offset;
            tensors_.push_back(
                {offset < 0 ? nullptr : arena_.data() + offset, graph.values()[v].type});
        }
        for (size_t n = 0; n < graph.nodes().size(); ++n)
            launches_.push_back(make_launch(graph.nodes()[n], std::move(kernels_[n])));
        fuse();
    }

    const Graph& graph() const override { return graph_; }
    const Plan& plan() const override { return plan_; }
    int64_t allocated_bytes() const override { return static_cast<int64_t>(arena_.bytes()); }

    void write(ValueId value, std::span<const std::byte> bytes) override {
        copy(tensor_of(value, bytes.size()).data, bytes.data(), bytes.size(),
             cudaMemcpyHostToDevice);
    }
    void read(ValueId value, std::span<std::byte> bytes) const override {
        copy(bytes.data(), tensor_of(value, bytes.size()).data, bytes.size(),
             cudaMemcpyDeviceToHost);
    }
    void read_part(ValueId value, int64_t first, std::span<std::byte> bytes) const override {
        const Tensor& tensor = tensors_[static_cast<size_t>(value)];
        CHECK(first >= 0 && first + std::ssize(bytes) <= tensor.type.bytes(),
              "a part inside " + graph_.value(value).name);
        copy(bytes.data(), tensor.as<std::byte>() + first, bytes.size(), cudaMemcpyDeviceToHost);
    }

    void run(Phase phase, const StepContext& step) override {
        send_step(step);
        for (Launch* launch : program_)
            if (launch->node->phase == phase) run_one(*launch, step);
    }

    /// Node by node, so that the value that is named is the first.
    std::string find_nonfinite(Phase phase, const StepContext& step) override {
        send_step(step);
        for (Launch& launch : launches_) {
            if (launch.node->phase != phase) continue;
            run_one(launch, step);
            for (size_t i = 0; i < launch.outputs.size(); ++i)
                if (!all_finite(launch.outputs[i]))
                    return fmt::format("{} ({})", graph_.value(launch.node->outputs[i]).name,
                                       launch.node->op->name());
        }
        return "";
    }

    void set_timing(bool on) override {
        timing_ = on;
        for (Launch* launch : program_) launch->seconds = 0, launch->launches = 0;
    }
    std::vector<OpTime> times() const override {
        std::vector<OpTime> rows;
        for (const Launch* launch : program_)
            add_time(rows, launch->name, launch->seconds, launch->launches, launch->cost);
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

    void copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) const {
        check(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()), "copy memory");
        stream_.wait();
    }

    static std::vector<Kernel> make_kernels(const Graph& graph) {
        std::vector<Kernel> kernels;
        for (const Node& node : graph.nodes())
            kernels.push_back(make_kernel(*node.op, graph.types_of(node.inputs)));
        return kernels;
    }
    int64_t scratch_of(const Node& node) const {
        const auto n = static_cast<size_t>(&node - graph_.nodes().data());
        int64_t bytes = kernels_[n].workspace_bytes;
        for (const Fusion& fusion : fusions_)
            if (fusion.nodes.front() == n) bytes = std::max(bytes, fusion.kernel.workspace_bytes);
        return bytes;
    }

    /// What kernels read of the moment: copied before its launches, in the same stream.
    void send_step(const StepContext& step) {
        check(cudaMemcpyAsync(step_.data(), &step, sizeof(step), cudaMemcpyHostToDevice,
                              stream_.get()),
              "copy memory");
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

    void run_one(Launch& launch, const StepContext& step) {
        const auto& accumulate =
            step.micro == 0 ? launch.accumulate_first : launch.accumulate_later;
        if (timing_) stream_.wait();
        const double start = timing_ ? now_s() : 0;
        launch.kernel.launch(
            {launch.inputs, launch.outputs, accumulate, arena_.data() + plan_.workspace_offset,
             reinterpret_cast<const StepContext*>(step_.data()), *products_, stream_.get()});
        if (!timing_) return;
        stream_.wait();
        launch.seconds += now_s() - start;
        ++launch.launches;
    }

    bool all_finite(const Tensor& tensor) const {
        if (tensor.type.dtype == DType::kI32 || tensor.type.dtype == DType::kU8) return true;
        bool finite = true;
        dispatch_float(tensor.type.dtype, [&]<class T>(T) {
            std::vector<T> host(static_cast<size_t>(tensor.count()));
            copy(host.data(), tensor.data, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
            finite = std::all_of(host.begin(), host.end(),
                                 [](T x) { return std::isfinite(static_cast<double>(x)); });
        });
        return finite;
    }

    const Graph& graph_;
    std::vector<Kernel> kernels_;  ///< until they are the launches'
    std::vector<Fusion> fusions_;
    Plan plan_;
    DeviceMemory arena_;
    DeviceMemory step_{sizeof(StepContext)};
    Stream stream_;
    std::unique_ptr<Products> products_;
    std::vector<Tensor> tensors_;
    std::vector<Launch> launches_;  ///< one for each node
    std::vector<Launch> fused_;
    std::vector<Launch*> program_;  ///< in order
    bool timing_ = false;
};

class CudaDevice : public Device {
  public:
    explicit CudaDevice(std::unique_ptr<Products> (*make_products)())
        : make_products_(make_products) {
        int count = 0;
        check(cudaGetDeviceCount(&count), "look for devices");
        if (count == 0)
            throw EnvironmentError("this machine has no CUDA device", "use --device cpu");
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, 0), "describe the device");
        description_ =
            fmt::format("{}, compute capability {}.{}, {} multiprocessors", properties.name,
                        properties.major, properties.minor, properties.multiProcessorCount);
    }

    std::string_view kind() const override { return "cuda"; }
    std::string description() const override { return description_; }
    void check_precision(DType dtype) const override {
        if (dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16) return;
        throw UserError(fmt::format("precision: {} cannot be computed in", name_of(dtype)),
                        "use float32, float64 or bfloat16");
    }
    int threads() const override { return 1; }
    std::unique_ptr<Executor> prepare(const Graph& graph) override {
        return std::make_unique<CudaExecutor>(graph, make_products_());
    }

  private:
    std::unique_ptr<Products> (*make_products_)();
    std::string description_;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(std::unique_ptr<Products> (*make_products)()) {
    return std::make_unique<CudaDevice>(make_products);
}

}  // namespace headroom::cuda

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/cpu/amx_product.h"
#include "core/cpu/cpu_ceilings.h"
#include "core/cpu/cpu_context.h"
#include "core/cpu/page_memory.h"
#include "core/device/device.h"

namespace headroom {
namespace {

/// The one allocation of an executor.
class Arena {
  public:
    explicit Arena(const MemoryLedger& ledger)
        : bytes_(ledger.total), memory_(static_cast<size_t>(bytes_)) {
        if (memory_.data() == nullptr) throw not_enough_memory(ledger);
    }

    std::byte* at(int64_t offset) const { return memory_.data() + offset; }
    int64_t bytes() const { return bytes_; }

  private:
    int64_t bytes_;
    PageMemory memory_;
};

/// A node with its addresses filled in.
struct Launch {
    const Node* node = nullptr;
    std::vector<Tensor> inputs, outputs;
    std::vector<uint8_t> accumulate_first, accumulate_later;  // micro-batch 0, and the others
    std::span<std::byte> workspace;
    OpCost cost;
    double seconds = 0;
    int64_t launches = 0;
};

template <class T>
bool all_finite(const Tensor& tensor) {
    const T* x = tensor.as<T>();
    return std::all_of(x, x + tensor.count(),
                       [](T value) { return std::isfinite(static_cast<double>(value)); });
}

bool all_finite(const Tensor& tensor) {
    switch (tensor.type.dtype) {
        case DType::kF32:
            return all_finite<float>(tensor);
        case DType::kF64:
            return all_finite<double>(tensor);
        case DType::kBF16:
            return all_finite<bf16>(tensor);
        default:
            return true;
    }
}

class CpuExecutor : public Executor {
  public:
    CpuExecutor(const Graph& graph, Kernels kernels)
        : graph_(graph),
          plan_(plan_memory(graph, cpu_threads())),
          kernels_(kernels),
          arena_(plan_.ledger) {
        place_tensors();
        for (const Node& node : graph.nodes()) launches_.push_back(make_launch(node));
        clear_persistent();
    }

    const Graph& graph() const override { return graph_; }
    const Plan& plan() const override { return plan_; }
    int64_t allocated_bytes() const override { return arena_.bytes(); }

    void write(ValueId value, std::span<const std::byte> bytes) override {
        const Tensor& tensor = tensor_of(value);
        check_size(value, tensor, bytes.size());
        std::memcpy(tensor.data, bytes.data(), bytes.size());
    }

    void read(ValueId value, std::span<std::byte> bytes) const override {
        const Tensor& tensor = tensor_of(value);
        check_size(value, tensor, bytes.size());
        std::memcpy(bytes.data(), tensor.data, bytes.size());
    }

    void read_part(ValueId value, int64_t first, std::span<std::byte> bytes) const override {
        const Tensor& tensor = tensor_of(value);
        CHECK(first >= 0 && first + static_cast<int64_t>(bytes.size()) <= tensor.type.bytes(),
              graph_.value(value).name + " ends before what is read of it");
        CHECK(tensor.data != nullptr, graph_.value(value).name + " is used by nobody");
        std::memcpy(bytes.data(), static_cast<const std::byte*>(tensor.data) + first, bytes.size());
    }

    void run(Phase phase, const StepContext& step) override {
        for (Launch& launch : launches_)
            if (launch.node->phase == phase) run_one(launch, step);
    }

    std::string find_nonfinite(Phase phase, const StepContext& step) override {
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
        for (Launch& launch : launches_) launch.seconds = 0, launch.launches = 0;
    }

    std::vector<OpTime> times() const override {
        std::vector<OpTime> result;
        for (const Launch& launch : launches_)
            add_time(result, launch.node->op->name(), launch.seconds, launch.launches, launch.cost);
        sort_times(result);
        return result;
    }

  private:
    const Tensor& tensor_of(ValueId id) const { return tensors_[static_cast<size_t>(id)]; }

    /// Every value's place in the arena; null for a value that nobody uses.
    void place_tensors() {
        for (size_t v = 0; v < graph_.values().size(); ++v) {
            const int64_t offset = plan_.values[v].offset;
            tensors_.push_back({offset < 0 ? nullptr : arena_.at(offset), graph_.values()[v].type});
        }
    }

    void check_size(ValueId value, const Tensor& tensor, size_t bytes) const {
        CHECK(tensor.data != nullptr, graph_.value(value).name + " has no memory");
        CHECK(static_cast<int64_t>(bytes) == tensor.type.bytes(),
              fmt::format("{} holds {} bytes, not {}", graph_.value(value).name,
                          tensor.type.bytes(), bytes));
    }

    Launch make_launch(const Node& node) const {
        Launch launch;
        launch.node = &node;
        for (const ValueId id : node.inputs) launch.inputs.push_back(tensor_of(id));
        for (const ValueId id : node.outputs) launch.outputs.push_back(tensor_of(id));
        for (const Write write : node.writes) {
            launch.accumulate_first.push_back(write == Write::kAccumulate);
            launch.accumulate_later.push_back(write != Write::kOverwrite);
        }
        const std::vector<TensorType> types = graph_.types_of(node.inputs);
        const int64_t bytes = node.op->workspace_bytes(types, cpu_threads());
        launch.workspace = {arena_.at(plan_.workspace_offset), static_cast<size_t>(bytes)};
        launch.cost = node.op->cost(types);
        return launch;
    }

    /// Weights, gradients and moments start at zero; touching them now keeps page faults out of
    /// the first step.
    void clear_persistent() {
        for (size_t v = 0; v < graph_.values().size(); ++v)
            if (is_persistent(graph_.values()[v].role))
                std::memset(arena_.at(plan_.values[v].offset), 0,
                            static_cast<size_t>(plan_.values[v].bytes));
    }

    void run_one(Launch& launch, const StepContext& step) {
        const double start = timing_ ? now_s() : 0;
        const auto& accumulate =
            step.micro == 0 ? launch.accumulate_first : launch.accumulate_later;
        const KernelCall call{launch.inputs,    launch.outputs, accumulate,
                              launch.workspace, step,           context_};
        if (kernels_ == Kernels::kFast)
            launch.node->op->run(call);
        else
            launch.node->op->run_reference(call);
        if (!timing_) return;
        launch.seconds += now_s() - start;
        ++launch.launches;
    }

    const Graph& graph_;
    Plan plan_;
    Kernels kernels_;
    Arena arena_;
    std::vector<Tensor> tensors_;
    std::vector<Launch> launches_;
    CpuContext context_;
    bool timing_ = false;
};

class CpuDevice : public Device {
  public:
    explicit CpuDevice(Kernels kernels) : kernels_(kernels) {}

    std::string_view kind() const override { return "cpu"; }
    std::string description() const override {
        return fmt::format("CPU, {} threads", cpu_threads());
    }
    void check_precision(DType dtype) const override {
        if (dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16) return;
        throw UserError(fmt::format("precision: {} cannot be computed in", name_of(dtype)),
                        "use float32, float64 or bfloat16");
    }
    int threads() const override { return cpu_threads(); }
    MemoryLayout weight_layout(DType precision) const override {
        const bool tiles = kernels_ == Kernels::kFast && AmxProduct::usable();
        return tiles && precision == DType::kBF16 ? MemoryLayout::kPanels : MemoryLayout::kRows;
    }
    bool tells_norms() const override { return true; }
    std::unique_ptr<Executor> prepare(const Graph& graph) override {
        return std::make_unique<CpuExecutor>(graph, kernels_);
    }
    std::unique_ptr<DeviceCeilings> ceilings() override { return make_cpu_ceilings(); }

  private:
    Kernels kernels_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(Kernels kernels) {
    constexpr int kMostThreads = 4096;  // with many more OpenMP ends the program
    if (cpu_threads() > kMostThreads)
        throw UserError(fmt::format("OMP_NUM_THREADS asks for {} threads", cpu_threads()),
                        fmt::format("set it to the number of cores, {} here", omp_get_num_procs()));
    return std::make_unique<CpuDevice>(kernels);
}

}  // namespace headroom

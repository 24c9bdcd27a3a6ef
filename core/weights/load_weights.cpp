#include "core/weights/load_weights.h"

#include <fmt/format.h>

#include "core/model/initialize.h"
#include "core/ops/dispatch.h"

namespace headroom {
namespace {

template <class T>
void write_values(Executor& executor, ValueId id, const std::vector<T>& values) {
    executor.write(id, std::as_bytes(std::span(values)));
}

/// Copies tensor `name` of the file into value `id`.
void load_value(Executor& executor, ValueId id, const SafetensorsFile& file,
                const std::string& name) {
    const TensorType& type = executor.graph().value(id).type;
    const TensorInfo& info = file.info(name);
    if (info.shape != type.shape)
        throw UserError(
            fmt::format("{}: tensor {} has shape {}, the model needs {}", file.path().string(),
                        name, to_string(info.shape), to_string(type.shape)),
            "load it with the configuration it was made with");
    dispatch_accumulator(type.dtype,
                         [&]<class T>(T) { write_values(executor, id, file.read_as<T>(name)); });
}

/// One value of the executor copied to host memory, kept alive while it is written to a file.
struct HostCopy {
    std::vector<std::byte> bytes;
    TensorToWrite tensor;

    HostCopy(const Executor& executor, ValueId id, std::string name) {
        const TensorType& type = executor.graph().value(id).type;
        bytes.resize(static_cast<size_t>(type.bytes()));
        executor.read(id, bytes);
        tensor = {std::move(name), stored_type_of(type.dtype), type.shape, bytes};
    }
};

std::vector<TensorToWrite> tensors_of(const std::vector<HostCopy>& copies) {
    std::vector<TensorToWrite> tensors;
    for (const HostCopy& copy : copies) {
        tensors.push_back(copy.tensor);
        tensors.back().data = copy.bytes;
    }
    return tensors;
}

}  // namespace

void initialize_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                        uint64_t seed) {
    for (const GraphParameter& parameter : parameters) {
        const TensorType& type = executor.graph().value(parameter.value).type;
        dispatch_accumulator(type.dtype, [&]<class T>(T) {
            std::vector<T> values(static_cast<size_t>(type.count()));
            fill_initial(parameter.spec, seed, std::span<T>(values));
            write_values(executor, parameter.value, values);
        });
    }
    executor.run(Phase::kPrepare, {});
}

void load_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                  const SafetensorsFile& file) {
    for (const GraphParameter& parameter : parameters)
        load_value(executor, parameter.value, file, parameter.spec.name);
    if (file.names().size() != parameters.size()) {
        for (const std::string& name : file.names())
            if (executor.graph().find(name) == kNoValue)
                throw UserError(fmt::format("{}: tensor {} does not belong to this model",
                                            file.path().string(), name),
                                "check the `config` of the checkpoint");
    }
    executor.run(Phase::kPrepare, {});
}

void load_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                  const WeightSource& weights) {
    for (const GraphParameter& parameter : parameters) {
        const TensorType& type = executor.graph().value(parameter.value).type;
        dispatch_accumulator(type.dtype, [&]<class T>(T) {
            const std::vector<T> values = weights.read<T>(parameter.spec.name);
            CHECK(static_cast<int64_t>(values.size()) == type.count(),
                  "wrong size of tensor " + parameter.spec.name);
            write_values(executor, parameter.value, values);
        });
    }
    executor.run(Phase::kPrepare, {});
}

void load_moments(Executor& executor, const std::vector<GraphParameter>& parameters,
                  const SafetensorsFile& file) {
    for (const GraphParameter& parameter : parameters) {
        if (parameter.moment1 == kNoValue) continue;
        load_value(executor, parameter.moment1, file, parameter.spec.name + ".m");
        load_value(executor, parameter.moment2, file, parameter.spec.name + ".v");
    }
}

void save_training_checkpoint(const Executor& executor,
                              const std::vector<GraphParameter>& parameters,
                              const std::filesystem::path& checkpoints,
                              const CheckpointMetadata& metadata) {
    std::vector<HostCopy> weights, moments;
    for (const GraphParameter& parameter : parameters) {
        weights.emplace_back(executor, parameter.value, parameter.spec.name);
        if (parameter.moment1 == kNoValue) continue;
        moments.emplace_back(executor, parameter.moment1, parameter.spec.name + ".m");
        moments.emplace_back(executor, parameter.moment2, parameter.spec.name + ".v");
    }
    write_training_checkpoint(checkpoints, metadata, tensors_of(weights), tensors_of(moments));
}

}  // namespace headroom

#include "core/absorb/mlp.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/checkpoint/number_encoder.h"
#include "core/config/enum_names.h"
#include "core/model/mlp_activation.h"
#include "core/ops/activation_map.h"

namespace headroom {
namespace {

const std::vector<std::string> kTensors = {"up",      "down",      "gate",     "skip",
                                           "up_bias", "gate_bias", "down_bias"};

/// How many bits of a number a type keeps.
int precision_of(StoredType type) {
    if (type == StoredType::kF64) return 52;
    if (type == StoredType::kF32) return 23;
    return type == StoredType::kF16 ? 10 : 7;
}

class MlpFile {
  public:
    explicit MlpFile(const std::filesystem::path& path) : file_(SafetensorsFile::open(path)) {
        for (const std::string& name : file_.names())
            if (std::find(kTensors.begin(), kTensors.end(), name) == kTensors.end())
                throw UserError(
                    fmt::format("{}: \"{}\" is no tensor of an MLP file{}", path.string(), name,
                                suggestion(name, kTensors)),
                    "such a file holds up [d, f], down [f, d] and, if wanted, gate [d, f], "
                    "skip [d, d] and biases");
    }

    bool has(const char* name) const { return file_.has(name); }
    StoredType coarsest() const { return coarsest_; }

    /// A side of 0 in `shape` may be of any length.
    Matrix matrix(const char* name, int64_t rows, int64_t cols) {
        const TensorInfo& info = file_.info(name);
        const bool fits = info.shape.size() == 2 && info.shape[0] > 0 && info.shape[1] > 0 &&
                          (rows == 0 || info.shape[0] == rows) &&
                          (cols == 0 || info.shape[1] == cols);
        if (!fits)
            throw UserError(fmt::format("{}: {} has the shape [{}]", file_.path().string(), name,
                                        fmt::join(info.shape, ", ")),
                            rows == 0 ? "a matrix [d, f] is wanted"
                                      : fmt::format("beside the other tensors it must be [{}, {}]",
                                                    rows, cols));
        return {info.shape[0], info.shape[1], numbers(name)};
    }

    std::vector<double> vector(const char* name, int64_t size) {
        if (!has(name)) return {};
        const TensorInfo& info = file_.info(name);
        if (info.shape != std::vector<int64_t>{size})
            throw UserError(fmt::format("{}: {} has the shape [{}]", file_.path().string(), name,
                                        fmt::join(info.shape, ", ")),
                            fmt::format("it must be [{}]", size));
        return numbers(name);
    }

  private:
    std::vector<double> numbers(const char* name) {
        std::vector<double> values = file_.read_as<double>(name);
        if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
            throw UserError(
                fmt::format("{}: {} has numbers that are not finite", file_.path().string(), name),
                "take weights from before the run diverged");
        const StoredType type = file_.info(name).type;
        if (precision_of(type) < precision_of(coarsest_)) coarsest_ = type;
        return values;
    }

    SafetensorsFile file_;
    StoredType coarsest_ = StoredType::kF64;
};

/// A kind and whether the file has a gate must agree.
MlpKind kind_of_file(MlpKind kind, bool has_gate, const std::filesystem::path& path) {
    if (has_gate) return gated_kind(kind);
    if (is_gated(kind))
        throw UserError(fmt::format("{}: activation {} needs the tensor gate [d, f]", path.string(),
                                    spelling(kind)),
                        "add it, or name an activation without a gate, such as gelu");
    return kind;
}

void add_bias(Matrix& rows, const std::vector<double>& bias) {
    if (bias.empty()) return;
    for (int64_t i = 0; i < rows.rows; ++i)
        for (int64_t j = 0; j < rows.cols; ++j) rows.at(i, j) += bias[static_cast<size_t>(j)];
}

}  // namespace

MlpKind parse_mlp_kind(const std::string& name) {
    const std::vector<std::string> names = spellings<MlpKind>();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw UserError(fmt::format("\"{}\" is no activation{}", name, suggestion(name, names)),
                        "name one as model.mlp does");
    return value_of<MlpKind>(name);
}

MlpKind gated_kind(MlpKind act) {
    switch (act) {
        case MlpKind::kGelu:
        case MlpKind::kGeglu:
            return MlpKind::kGeglu;
        case MlpKind::kSilu:
        case MlpKind::kSwiglu:
            return MlpKind::kSwiglu;
        case MlpKind::kRelu:
        case MlpKind::kReglu:
            return MlpKind::kReglu;
        default:
            throw UserError(fmt::format("activation {} has no gated form", spelling(act)),
                            "leave the gate out, or name gelu, silu or relu");
    }
}

Mlp read_mlp(const std::filesystem::path& path, MlpKind kind) {
    MlpFile file(path);
    Mlp mlp;
    mlp.kind = kind_of_file(kind, file.has("gate"), path);
    mlp.up = file.matrix("up", 0, 0);
    const int64_t d = mlp.d_model(), f = mlp.d_ff();
    mlp.down = file.matrix("down", f, d);
    if (mlp.gated()) mlp.gate = file.matrix("gate", d, f);
    mlp.skip = file.has("skip") ? file.matrix("skip", d, d) : identity_matrix(d);
    mlp.up_bias = file.vector("up_bias", f);
    mlp.gate_bias = file.vector("gate_bias", f);
    mlp.down_bias = file.vector("down_bias", d);
    mlp.stored = file.coarsest();
    return mlp;
}

Matrix read_skip(const std::filesystem::path& path, int64_t d_model) {
    return MlpFile(path).matrix("skip", d_model, d_model);
}

void write_mlp(const std::filesystem::path& path, const Mlp& mlp, StoredType type) {
    struct Part {
        std::string name;
        std::vector<int64_t> shape;
        const std::vector<double>* values;
    };
    std::vector<Part> parts;
    const auto matrix = [&](const char* name, const Matrix& m) {
        if (!m.empty()) parts.push_back({name, {m.rows, m.cols}, &m.values});
    };
    const auto bias = [&](const char* name, const std::vector<double>& b) {
        if (!b.empty()) parts.push_back({name, {std::ssize(b)}, &b});
    };
    matrix("up", mlp.up);
    matrix("down", mlp.down);
    matrix("gate", mlp.gate);
    matrix("skip", mlp.skip);
    bias("up_bias", mlp.up_bias);
    bias("gate_bias", mlp.gate_bias);
    bias("down_bias", mlp.down_bias);
    std::vector<TensorPlan> plan;
    for (const Part& part : parts) plan.push_back({part.name, type, part.shape});
    NumberEncoder encoder;
    write_safetensors(path, {{"activation", std::string(spelling(mlp.kind))}}, plan,
                      [&](size_t i) { return encoder.encode(*parts[i].values, type); });
}

Matrix mlp_forward(const Mlp& mlp, const Matrix& x) {
    Matrix hidden = product(x, mlp.up), gate;
    add_bias(hidden, mlp.up_bias);
    if (mlp.gated()) {
        gate = product(x, mlp.gate);
        add_bias(gate, mlp.gate_bias);
    }
    with_activation(activation_of(mlp.kind), [&]<ActivationKind kAct>() {
        for (size_t i = 0; i < hidden.values.size(); ++i) {
            double& h = hidden.values[i];
            h = gate.empty() ? activate<kAct>(h).value : activate<kAct>(gate.values[i]).value * h;
        }
    });
    Matrix y = product(hidden, mlp.down);
    add_bias(y, mlp.down_bias);
    if (mlp.skip.empty()) return y;
    const Matrix skipped = product(x, mlp.skip);
    for (size_t i = 0; i < y.values.size(); ++i) y.values[i] += skipped.values[i];
    return y;
}

}  // namespace headroom

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/decode/loaded_model.h"
#include "core/surgery/surgery.h"
#include "core/surgery/surgery_numbers.h"
#include "core/weights/weight_source.h"
#include "tests/core/linalg/random_matrix.h"

namespace headroom {

/// Random weights in memory, in double precision.
class RandomWeights final : public WeightSource {
  public:
    /// Four heads of 4 in three layers unless `keys` say otherwise.
    explicit RandomWeights(const std::string& keys) {
        nlohmann::json model{{"n_layer", 3}, {"n_head", 4},      {"d_model", 16},
                             {"d_ff", 24},   {"vocab_size", 29}, {"block_size", 12}};
        model.update(nlohmann::json::parse(keys));
        set_model("random", parse_model_config(model, ""));
        uint32_t seed = 0;
        for (const ParameterSpec& spec : specs()) {
            Matrix m = random_matrix(spec.count() / spec.shape.back(), spec.shape.back(), ++seed);
            if (spec.shape.size() == 1)  // gains and biases stay away from 0
                for (double& x : m.values) x = 1 + 0.3 * x;
            numbers_[spec.name] = std::move(m.values);
        }
    }

    std::vector<double>& operator[](const std::string& name) { return numbers_.at(name); }
    StoredType type(std::string_view) const override { return StoredType::kF64; }

  private:
    std::vector<float> read_float(const ParameterSpec& spec) const override {
        const std::vector<double>& numbers = numbers_.at(spec.name);
        return {numbers.begin(), numbers.end()};
    }
    std::vector<double> read_double(const ParameterSpec& spec) const override {
        return numbers_.at(spec.name);
    }

    std::map<std::string, std::vector<double>> numbers_;
};

/// "remove-one k 1 untie" as a request.
struct Operation {
    const Surgery* surgery;
    SurgeryRequest request;

    explicit Operation(const std::string& text);
};

inline Operation::Operation(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text)
        if (c == ' ')
            words.emplace_back();
        else
            words.back().push_back(c);
    surgery = &find_surgery(words.front());
    for (size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "untie")
            request.untie = true;
        else if (words[i].find_first_not_of("0123456789") == std::string::npos)
            request.layer = std::stoi(words[i]);
        else
            request.matrices.push_back(parse_attention_matrix(words[i]));
    }
}

inline SurgeryPlan plan_of(const WeightSource& source, const std::string& operation) {
    const Operation op(operation);
    return plan_surgery(source.config(), *op.surgery, op.request);
}

inline std::shared_ptr<WeightSource> operate(std::shared_ptr<const WeightSource> source,
                                             const std::string& operation) {
    const SurgeryPlan plan = plan_of(*source, operation);
    return operated(std::move(source), plan);
}

}  // namespace headroom

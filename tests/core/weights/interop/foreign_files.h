#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/checkpoint/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace headroom {

/// Tensors in memory, by name, in double precision.
struct FakeTensor {
    std::vector<int64_t> shape;
    std::vector<double> values;

    double at(int64_t row, int64_t column) const {
        return values[static_cast<size_t>(row * shape.back() + column)];
    }
};
using FakeTensors = std::map<std::string, FakeTensor>;

/// Small numbers that differ from place to place and that bfloat16 holds exactly.
inline FakeTensor fake_tensor(std::vector<int64_t> shape, uint32_t seed) {
    FakeTensor tensor{std::move(shape), {}};
    size_t count = 1;
    for (const int64_t size : tensor.shape) count *= static_cast<size_t>(size);
    uint32_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        tensor.values.push_back((static_cast<double>(state >> 25) - 64) / 64);
    }
    return tensor;
}

inline void add_fake(FakeTensors& tensors, const std::string& name, std::vector<int64_t> shape) {
    const auto seed = static_cast<uint32_t>(tensors.size() + 1);
    tensors[name] = fake_tensor(std::move(shape), seed);
}

inline void write_fakes(const std::filesystem::path& path, const FakeTensors& tensors,
                        const std::map<std::string, std::string, std::less<>>& metadata = {}) {
    std::vector<TensorToWrite> list;
    for (const auto& [name, tensor] : tensors)
        list.push_back(tensor_to_write<double>(name, tensor.shape, tensor.values));
    write_safetensors(path, metadata, list);
}

/// A GPT-2 of 2 layers, width 6, 2 heads, MLP 10, 7 tokens, 5 positions, in Hugging Face's names
/// and orientation (Conv1D, [in, out]); transposed on demand, as nanoGPT's Linear has it.
inline FakeTensors fake_gpt2(bool transposed, bool bias) {
    FakeTensors t;
    const auto matrix = [&](const std::string& name, int64_t in, int64_t out) {
        add_fake(t, name + ".weight",
                 transposed ? std::vector<int64_t>{out, in} : std::vector<int64_t>{in, out});
        if (bias) add_fake(t, name + ".bias", {out});
    };
    const auto norm = [&](const std::string& name) {
        add_fake(t, name + ".weight", {6});
        if (bias) add_fake(t, name + ".bias", {6});
    };
    add_fake(t, "transformer.wte.weight", {7, 6});
    add_fake(t, "transformer.wpe.weight", {5, 6});
    for (int i = 0; i < 2; ++i) {
        const std::string h = fmt::format("transformer.h.{}.", i);
        norm(h + "ln_1");
        matrix(h + "attn.c_attn", 6, 18);
        matrix(h + "attn.c_proj", 6, 6);
        norm(h + "ln_2");
        matrix(h + "mlp.c_fc", 6, 10);
        matrix(h + "mlp.c_proj", 10, 6);
    }
    norm("transformer.ln_f");
    return t;
}

constexpr char kFakeGpt2Config[] =
    R"({"model_type": "gpt2", "n_layer": 2, "n_head": 2, "n_embd": 6, "n_inner": 10,
        "n_positions": 5, "vocab_size": 7, "activation_function": "gelu_new"})";

/// A Llama of 2 layers, width 6, 2 heads of 4, 1 key/value head, MLP 10, 7 tokens.
inline FakeTensors fake_llama(bool tied) {
    FakeTensors t;
    add_fake(t, "model.embed_tokens.weight", {7, 6});
    for (int i = 0; i < 2; ++i) {
        const std::string l = fmt::format("model.layers.{}.", i);
        add_fake(t, l + "input_layernorm.weight", {6});
        add_fake(t, l + "self_attn.q_proj.weight", {8, 6});
        add_fake(t, l + "self_attn.k_proj.weight", {4, 6});
        add_fake(t, l + "self_attn.v_proj.weight", {4, 6});
        add_fake(t, l + "self_attn.o_proj.weight", {6, 8});
        add_fake(t, l + "post_attention_layernorm.weight", {6});
        add_fake(t, l + "mlp.gate_proj.weight", {10, 6});
        add_fake(t, l + "mlp.up_proj.weight", {10, 6});
        add_fake(t, l + "mlp.down_proj.weight", {6, 10});
    }
    add_fake(t, "model.norm.weight", {6});
    if (!tied) add_fake(t, "lm_head.weight", {7, 6});
    return t;
}

constexpr char kFakeLlamaConfig[] =
    R"({"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 2,
        "num_key_value_heads": 1, "head_dim": 4, "hidden_size": 6, "intermediate_size": 10,
        "max_position_embeddings": 12, "vocab_size": 7, "rms_norm_eps": 1e-5,
        "rope_theta": 5000.0, "tie_word_embeddings": false})";

/// A GPT-NeoX of 2 layers, width 12, 2 heads of 6 of which 4 columns turn, MLP 10, 7
/// tokens, with biases.
inline FakeTensors fake_neox() {
    FakeTensors t;
    const auto linear = [&](const std::string& name, int64_t in, int64_t out) {
        add_fake(t, name + ".weight", {out, in});
        add_fake(t, name + ".bias", {out});
    };
    const auto norm = [&](const std::string& name) {
        add_fake(t, name + ".weight", {12});
        add_fake(t, name + ".bias", {12});
    };
    add_fake(t, "gpt_neox.embed_in.weight", {7, 12});
    for (int i = 0; i < 2; ++i) {
        const std::string l = fmt::format("gpt_neox.layers.{}.", i);
        norm(l + "input_layernorm");
        norm(l + "post_attention_layernorm");
        linear(l + "attention.query_key_value", 12, 36);
        linear(l + "attention.dense", 12, 12);
        linear(l + "mlp.dense_h_to_4h", 12, 10);
        linear(l + "mlp.dense_4h_to_h", 10, 12);
    }
    norm("gpt_neox.final_layer_norm");
    add_fake(t, "embed_out.weight", {7, 12});
    return t;
}

constexpr char kFakeNeoxConfig[] =
    R"({"model_type": "gpt_neox", "num_hidden_layers": 2, "num_attention_heads": 2,
        "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 12,
        "vocab_size": 7, "layer_norm_eps": 1e-6, "rotary_pct": 0.67, "rotary_emb_base": 5000,
        "hidden_act": "gelu", "use_parallel_residual": true, "tie_word_embeddings": false})";

/// A folder as Hugging Face saves one.
inline void write_fake_folder(const std::filesystem::path& folder, const FakeTensors& tensors,
                              const std::string& config) {
    std::filesystem::create_directories(folder);
    write_fakes(folder / "model.safetensors", tensors, {{"format", "pt"}});
    write_plainly(folder / "config.json", config);
}

}  // namespace headroom

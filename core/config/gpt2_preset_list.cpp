#include "core/config/preset_list.h"

namespace headroom {
namespace {

constexpr char kLaptop[] = "Laptop";
constexpr char kOwn[] = "sizes chosen for this program";
constexpr char kQuery[] = "GPT-2 without query projections";
constexpr char kTable2[] = "Karbevski & Mijoski, table 2";
constexpr char kGpt2[] = "GPT-2 and SkipV1Former";
constexpr char kTable3[] = "Wu et al., table 3; with learned positions";
constexpr char kPythia[] = "Pythia";
constexpr char kTable1[] = "Biderman et al. 2023, table 1; the published checkpoints' config.json";
constexpr char kOpenAi[] = "Radford et al. 2019, table 2; the published checkpoints' config.json";

}  // namespace

std::vector<Preset> laptop_presets() {
    return {
        {"demo", "smallest model that learns readable text in a minute", kOwn, kLaptop,
         R"({"n_layer": 4, "n_head": 4, "d_model": 128, "block_size": 128})"},
        {"demo-moe", "demo with two of eight experts of half its MLP's width: as many FLOPs", kOwn,
         kLaptop,
         R"({"n_layer": 4, "n_head": 4, "d_model": 128, "d_ff": 256, "mlp_experts": 8,
             "mlp_top_k": 2, "block_size": 128})"},
        {"tiny", "6 layers of width 192; trains in minutes", kOwn, kLaptop,
         R"({"n_layer": 6, "n_head": 6, "d_model": 192, "block_size": 256})"},
        {"demo-llama", "demo with LLaMA's blocks", kOwn, kLaptop,
         R"({"base": "llama", "arch": "llama", "n_layer": 4, "n_head": 4, "d_model": 128,
             "d_ff": 344, "block_size": 128})"},
        {"tiny-llama", "tiny with LLaMA's blocks", kOwn, kLaptop,
         R"({"base": "llama", "arch": "llama", "n_layer": 6, "n_head": 6, "d_model": 192,
             "d_ff": 512, "block_size": 256})"},
        {"small", "6 layers of width 384, one book", "nanoGPT, config/train_shakespeare_char.py",
         kLaptop, R"({"n_layer": 6, "n_head": 6, "d_model": 384, "block_size": 256})"},
    };
}

std::vector<Preset> query_presets() {
    return {
        {"gpt2-124m", "GPT-2 as nanoGPT trains it: no biases, padded vocabulary", kTable2, kQuery,
         R"({"n_layer": 12, "n_head": 12, "d_model": 768, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-124m-small-mlp", "MLP reduced to 3.5 d_model", kTable2, kQuery,
         R"({"n_layer": 12, "n_head": 12, "d_model": 768, "d_ff": 2688, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-124m-small-width", "reduced to width 744, heads of 62", kTable2, kQuery,
         R"({"n_layer": 12, "n_head": 12, "d_model": 744, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-124m-wq-identity", "W_Q = I", kTable2, kQuery,
         R"({"arch": "wq_identity", "n_layer": 12, "n_head": 12, "d_model": 768,
             "block_size": 1024, "vocab_size": 50304})"},
        {"gpt2-124m-wq-identity-large-mlp", "W_Q = I, its parameters in the MLP", kTable2, kQuery,
         R"({"arch": "wq_identity", "n_layer": 12, "n_head": 12, "d_model": 768, "d_ff": 3456,
             "block_size": 1024, "vocab_size": 50304})"},
    };
}

std::vector<Preset> gpt2_presets() {
    return {
        {"gpt2-124m-skipv1", "12 layers of 768, half of the value heads from the first layer",
         kTable3, kGpt2,
         R"({"arch": "skipv1", "n_layer": 12, "n_head": 12, "d_model": 768, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-200m", "12 layers of width 1024", kTable3, kGpt2,
         R"({"n_layer": 12, "n_head": 16, "d_model": 1024, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-200m-skipv1", "its SkipV1Former", kTable3, kGpt2,
         R"({"arch": "skipv1", "n_layer": 12, "n_head": 16, "d_model": 1024, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-355m", "24 layers of width 1024", kTable3, kGpt2,
         R"({"n_layer": 24, "n_head": 16, "d_model": 1024, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-355m-skipv1", "its SkipV1Former", kTable3, kGpt2,
         R"({"arch": "skipv1", "n_layer": 24, "n_head": 16, "d_model": 1024, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-550m", "28 layers of width 1200, heads of 60", kTable3, kGpt2,
         R"({"n_layer": 28, "n_head": 20, "d_model": 1200, "block_size": 1024,
             "vocab_size": 50304})"},
        {"gpt2-550m-skipv1", "its SkipV1Former", kTable3, kGpt2,
         R"({"arch": "skipv1", "n_layer": 28, "n_head": 20, "d_model": 1200, "block_size": 1024,
             "vocab_size": 50304})"},
        {"openai-gpt2", "OpenAI's GPT-2 with its biases, 124M", kOpenAi, kGpt2,
         R"({"n_layer": 12, "n_head": 12, "d_model": 768, "block_size": 1024, "bias": true,
             "mlp": "gelu_tanh", "vocab_size": 50257})"},
        {"openai-gpt2-medium", "355M", kOpenAi, kGpt2,
         R"({"n_layer": 24, "n_head": 16, "d_model": 1024, "block_size": 1024, "bias": true,
             "mlp": "gelu_tanh", "vocab_size": 50257})"},
        {"openai-gpt2-large", "774M", kOpenAi, kGpt2,
         R"({"n_layer": 36, "n_head": 20, "d_model": 1280, "block_size": 1024, "bias": true,
             "mlp": "gelu_tanh", "vocab_size": 50257})"},
        {"openai-gpt2-xl", "1.6B", kOpenAi, kGpt2,
         R"({"n_layer": 48, "n_head": 25, "d_model": 1600, "block_size": 1024, "bias": true,
             "mlp": "gelu_tanh", "vocab_size": 50257})"},
    };
}

std::vector<Preset> pythia_presets() {
    const auto preset = [](const char* name, const char* help, const char* sizes) {
        return Preset{name, help, kTable1, kPythia,
                      std::string(R"({"topology": "parallel", "parallel_norm": "separate",
                          "pos": "rope", "bias": true, "tie": false, "block_size": 2048, )") +
                          sizes + "}"};
    };
    return {
        preset("pythia-70m", "attention and MLP side by side, a quarter of each head rotated",
               R"("n_layer": 6, "n_head": 8, "d_model": 512, "rope_dim": 16,
                  "vocab_size": 50304)"),
        preset("pythia-160m", "12 layers of width 768",
               R"("n_layer": 12, "n_head": 12, "d_model": 768, "rope_dim": 16,
                  "vocab_size": 50304)"),
        preset("pythia-410m", "24 layers of width 1024",
               R"("n_layer": 24, "n_head": 16, "d_model": 1024, "rope_dim": 16,
                  "vocab_size": 50304)"),
        preset("pythia-1b", "16 layers of width 2048, heads of 256",
               R"("n_layer": 16, "n_head": 8, "d_model": 2048, "rope_dim": 64,
                  "vocab_size": 50304)"),
        preset("pythia-1.4b", "24 layers of width 2048",
               R"("n_layer": 24, "n_head": 16, "d_model": 2048, "rope_dim": 32,
                  "vocab_size": 50304)"),
        preset("pythia-2.8b", "32 layers of width 2560",
               R"("n_layer": 32, "n_head": 32, "d_model": 2560, "rope_dim": 20,
                  "vocab_size": 50304)"),
        preset("pythia-6.9b", "32 layers of width 4096",
               R"("n_layer": 32, "n_head": 32, "d_model": 4096, "rope_dim": 32,
                  "vocab_size": 50432)"),
        preset("pythia-12b", "36 layers of width 5120",
               R"("n_layer": 36, "n_head": 40, "d_model": 5120, "rope_dim": 32,
                  "vocab_size": 50688)"),
    };
}

}  // namespace headroom

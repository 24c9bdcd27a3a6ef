#include "tests/core/model/architectures.h"

#include <nlohmann/json.hpp>

#include "core/config/job_json.h"

namespace headroom {
namespace {

const char kMla[] = R"("mla": {"d_c": 6, "d_r": 2, "d_nope": 3, "d_v": 2})";

std::string with_mla(const std::string& keys) {
    return "{" + keys + ", " + kMla + "}";
}

void add_query_side(std::vector<Architecture>& list) {
    list.push_back({"Gpt2", R"({})"});
    list.push_back({"QueryIdentity", R"({"arch": "wq_identity"})"});
    list.push_back({"QueryResidual", R"({"query": "residual"})"});
    list.push_back({"QueryNonlinear", R"({"query": "nonlinear", "nq_rank": 3})"});
    list.push_back({"KeyIdentity", R"({"key": "identity"})"});
    list.push_back({"ValueIdentity", R"({"value": "identity"})"});
    list.push_back({"QueryAndKeyIdentity", R"({"query": "identity", "key": "identity"})"});
    list.push_back({"QueryAndOutputIdentity", R"({"query": "identity", "out_proj": "identity"})"});
    list.push_back({"ValueNonlinear", R"({"value": "nonlinear", "nv_rank": 3})"});
    list.push_back({"ValueNonlinearSkipV1", R"({"arch": "skipv1", "value": "nonlinear"})"});
    list.push_back({"MapsByLayer", R"({"query": ["linear", "identity", "nonlinear", "residual"],
        "key": ["identity", "linear", "linear", "linear"],
        "value": ["linear", "nonlinear", "identity", "linear"],
        "out_proj": ["linear", "linear", "identity", "linear"], "qk_norm": true})"});
    list.push_back({"Biases", R"({"bias": true})"});
    list.push_back({"Encoder", R"({"causal": false, "pos": "rope"})", true});
    list.push_back({"NoPositions", R"({"pos": "none"})"});
}

void add_llama_side(std::vector<Architecture>& list) {
    list.push_back({"Llama", R"({"arch": "llama"})"});
    list.push_back(
        {"LlamaInterleavedTied", R"({"arch": "llama", "rope_style": "interleaved", "tie": true})"});
    list.push_back({"GroupedQuery", R"({"arch": "gqa"})"});
    list.push_back({"MultiQuery", R"({"arch": "mqa"})"});
    list.push_back({"SkipV1Gqa", R"({"arch": "skipv1_gqa"})"});
    list.push_back({"QkNorm", R"({"arch": "gqa", "qk_norm": true})"});
    list.push_back({"Latent", with_mla(R"("arch": "mla")")});
    list.push_back(
        {"LatentOutputIdentity",
         with_mla(R"("arch": "mla", "out_proj": "identity", "d_head": 3, "d_model": 8)")});
    list.push_back({"LatentTurningByPairs",
                    with_mla(R"("arch": "mla", "base": "gpt2", "rope_style": "interleaved")")});
    list.push_back({"SkipV1Latent", with_mla(R"("arch": "skipv1_mla")")});
    list.push_back({"SkipV2LatentQuarter",
                    with_mla(R"("arch": "skipv1_mla", "skip_layer": 2, "skip_ratio": 0.35)")});
}

void add_sharing(std::vector<Architecture>& list) {
    list.push_back({"SkipV1", R"({"arch": "skipv1"})"});
    list.push_back({"SkipV1Quarter", R"({"arch": "skipv1", "skip_ratio": 0.25})"});
    list.push_back({"SkipV1ThreeQuarters", R"({"arch": "skipv1", "skip_ratio": 0.75})"});
    list.push_back({"SkipV0", R"({"arch": "skipv1", "skip_layer": 0})"});
    list.push_back({"SkipV2", R"({"arch": "skipv1", "skip_layer": 2})"});
    list.push_back(
        {"SkipV3Dynamic", R"({"arch": "skipv1", "skip_layer": 3, "inject": "dynamic"})"});
    list.push_back({"SkipV1Pool", R"({"arch": "skipv1", "inject": "pool"})"});
    list.push_back({"SkipV1Dynamic", R"({"arch": "skipv1", "inject": "dynamic"})"});
    list.push_back({"SkipV1OddEven", R"({"arch": "skipv1", "inject": "oddeven"})"});
    list.push_back({"SkipV1ResFormer", R"({"arch": "skipv1", "skip_res": true})"});
    list.push_back({"SkipV1ResFormerLearned",
                    R"({"arch": "skipv1", "skip_res": true, "res_lambda": "learned"})"});
    list.push_back({"SkipKV1", R"({"arch": "skipkv1"})"});
    list.push_back(
        {"SkipKV1RopeQkNorm", R"({"arch": "skipkv1", "base": "llama", "qk_norm": true})"});
    list.push_back({"SkipV1Yoco", R"({"arch": "skipv1_yoco"})"});
    list.push_back({"ResFormer", R"({"arch": "resformer"})"});
    list.push_back({"ResFormerLearned", R"({"arch": "resformer", "res_lambda": "learned"})"});
    list.push_back({"SvFormer", R"({"arch": "svformer"})"});
    list.push_back({"Yoco", R"({"arch": "yoco"})"});
    list.push_back({"YocoV", R"({"arch": "yoco_v"})"});
    list.push_back({"Cla", R"({"arch": "cla", "cla_factor": 3})"});
    list.push_back({"ClaV", R"({"arch": "cla_v"})"});
    list.push_back({"OwnTable", R"({"wiring": {
        "keys": ["own", 0, "own", [[[2, 0], [0, 1, -0.5]], [[2, 1]], [[2, 2]], [[2, 3]]]],
        "values": ["own", [[[1, 0, "lambda"], [0, 0, "1-lambda"]], [[0, 3]], [], [[1, 1]]],
                   "own", [[[0, 0, 0.5], [1, 0, 0.25], [2, 3, 2]], [[2, 1]], [[0, 1]], []]]}})"});
}

void add_blocks(std::vector<Architecture>& list) {
    list.push_back({"DenseFormer", R"({"arch": "denseformer"})"});
    list.push_back(
        {"DenseFormerDilated", R"({"arch": "denseformer", "dwa_dilation": 2, "dwa_period": 2})"});
    list.push_back({"Skipless", R"({"arch": "skipless"})", false, true});
    list.push_back(
        {"SkiplessWithNorms", R"({"skip_attn": false, "skip_mlp": false})", false, true});
    list.push_back({"AttentionSkipOnly", R"({"arch": "attn_skip_only"})", false, true});
    list.push_back({"NoNorm", R"({"arch": "no_norm"})"});
    list.push_back({"Parallel", R"({"arch": "parallel"})", false, true});
    list.push_back({"ParallelWithNormAndSkip",
                    R"({"arch": "parallel", "norm": "rmsnorm", "skip_attn": true,
                        "query": "identity", "out_proj": "identity"})"});
    list.push_back({"SharedLayers", R"({"arch": "no_norm", "share_layers": true})"});
    list.push_back({"SharedLayersResFormer", R"({"arch": "resformer", "share_layers": true})"});
    list.push_back({"MlpsByLayer", R"({"mlp": ["gelu", "swiglu", "relu2", "geglu"]})"});
    list.push_back({"SkipsByLayer", R"({"skip_mlp": [true, false, true, true],
                                        "skip_attn": [true, true, true, false]})"});
    list.push_back({"ParallelSkipsByLayer",
                    R"({"topology": "parallel", "skip_attn": [true, false, true, true]})"});
    list.push_back(
        {"ParallelTwoNorms", R"({"topology": "parallel", "parallel_norm": "separate"})"});
    list.push_back({"GptNeox", R"({"topology": "parallel", "parallel_norm": "separate",
        "pos": "rope", "d_head": 6, "rope_dim": 2, "bias": true, "tie": false})"});
    list.push_back({"PartlyRotatedPairs", R"({"arch": "skipkv1", "pos": "rope", "d_head": 6,
        "rope_dim": 4, "rope_style": "interleaved", "qk_norm": true})"});
    list.push_back({"NormsByLayer", R"({"norm": ["none", "layernorm", "dyt", "rmsnorm"]})"});
    list.push_back({"DyT", R"({"norm": "dyt"})"});
    list.push_back({"HyperConnections", R"({"hyper": "hc", "n_stream": 3})"});
    list.push_back(
        {"HyperConnectionsParallel", R"({"hyper": "hc", "n_stream": 2, "topology": "parallel"})"});
    list.push_back({"HyperConnectionsParallelTwoNorms",
                    R"({"hyper": "hc", "n_stream": 2, "topology": "parallel",
                        "parallel_norm": "separate", "norm": "dyt"})"});
    list.push_back({"ManifoldHyperConnections", R"({"hyper": "mhc", "n_stream": 3})"});
    for (const auto& [name, mlp] :
         std::vector<std::pair<std::string, std::string>>{{"GeluTanh", "gelu_tanh"},
                                                          {"Relu", "relu"},
                                                          {"Relu2", "relu2"},
                                                          {"Silu", "silu"},
                                                          {"Geglu", "geglu"},
                                                          {"Reglu", "reglu"},
                                                          {"Swiglu", "swiglu"}})
        list.push_back({name, R"({"mlp": ")" + mlp + "\"}"});
}

void add_experts(std::vector<Architecture>& list) {
    list.push_back({"Experts", R"({"mlp_experts": 4, "mlp_z": 0.02})"});
    list.push_back({"ExpertsOfLlama",
                    R"({"arch": "llama", "mlp_experts": 3, "mlp_top_k": 1, "mlp_balance": 0.5})"});
    list.push_back({"ExpertsByLayer", R"({"arch": "skipv1", "mlp_experts": [1, 5, 1, 2],
        "mlp_top_k": [1, 3, 1, 2], "mlp": ["gelu", "swiglu", "relu2", "silu"]})"});
    list.push_back(
        {"ExpertsWithBiases", R"({"bias": true, "mlp_experts": 3, "topology": "parallel"})"});
    list.push_back({"ExpertsOfSharedLayers", R"({"share_layers": true, "mlp_experts": 3})"});
    list.push_back({"ExpertsLatentHyper",
                    with_mla(R"("arch": "mla", "hyper": "hc", "n_stream": 2, "mlp_experts": 3)")});
}

}  // namespace

const std::vector<Architecture>& architectures_to_test() {
    static const std::vector<Architecture> list = [] {
        std::vector<Architecture> all;
        add_query_side(all);
        add_llama_side(all);
        add_sharing(all);
        add_blocks(all);
        add_experts(all);
        return all;
    }();
    return list;
}

Job image_job_that_learns(const std::string& changes) {
    Job job = small_image_job(changes);
    job.precision = DType::kF32;
    job.train.batch_size = 16;
    job.train.steps = 200;
    job.train.warmup_steps = 20;
    job.train.lr = 1e-2;
    job.train.min_lr = 1e-3;
    job.train.eval_batches = 8;
    return job;
}

Job small_job(const std::string& changes) {
    nlohmann::json model{{"n_layer", 4}, {"n_head", 4},      {"d_model", 8},
                         {"d_ff", 12},   {"vocab_size", 11}, {"block_size", 6}};
    model.update(nlohmann::json::parse(changes));
    Job job;
    job.model = parse_model_config(model, "");
    job.precision = DType::kF64;
    job.train.batch_size = 2;
    job.train.seq_len = 6;
    return job;
}

const std::vector<Architecture>& expert_architectures_to_test() {
    static const std::vector<Architecture> list = [] {
        std::vector<Architecture> all;
        for (Architecture architecture : architectures_to_test()) {
            nlohmann::json keys = nlohmann::json::parse(architecture.keys);
            if (keys.contains("mlp_experts")) continue;
            keys["mlp_experts"] = 3;
            architecture.keys = keys.dump();
            all.push_back(architecture);
        }
        return all;
    }();
    return list;
}

const std::vector<Architecture>& image_architectures_to_test() {
    static const std::vector<Architecture> list = [] {
        std::vector<Architecture> all;
        for (Architecture architecture : architectures_to_test()) {
            nlohmann::json keys = nlohmann::json::parse(architecture.keys);
            if (keys.value("tie", false)) continue;
            keys.erase("causal");
            architecture.keys = keys.dump();
            all.push_back(architecture);
        }
        all.push_back({"MeanPooling", R"({"pooling": "mean", "bias": true})"});
        all.push_back({"MeanPoolingNoPositions", R"({"pooling": "mean", "pos": "none"})"});
        return all;
    }();
    return list;
}

Job small_image_job(const std::string& changes) {
    nlohmann::json model{{"input", "images"}, {"image_size", 4}, {"patch_size", 2},
                         {"n_layer", 4},      {"n_head", 4},     {"d_model", 8},
                         {"d_ff", 12},        {"vocab_size", 3}};
    model.update(nlohmann::json::parse(changes));
    Job job;
    job.model = parse_model_config(model, "");
    job.precision = DType::kF64;
    job.train.objective = TrainingObjective::kClasses;
    job.train.batch_size = 2;
    job.train.seq_len = job.model.block_size;
    return job;
}

}  // namespace headroom

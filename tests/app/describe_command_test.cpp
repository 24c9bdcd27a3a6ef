#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/support/command.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json described(std::vector<std::string> args) {
    args.insert(args.begin(), "describe");
    args.push_back("--json");
    const Outcome outcome = headroom(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
}

/// A path for this process alone.
std::filesystem::path scratch(const std::string& name) {
    return std::filesystem::temp_directory_path() /
           ("headroom-describe-" + std::to_string(getpid()) + name);
}

void expect_error(const std::vector<std::string>& args, const std::string& part) {
    expect_one_error_line(headroom(args), 2, part);
}

TEST(DescribeCommand, PrintsTheFieldsOfTheContract) {
    const json d = described({"--preset", "gpt2-124m"});
    EXPECT_EQ(d["params_total"], 124'373'760);
    EXPECT_EQ(d["params_non_embedding"], 84'953'856);
    EXPECT_EQ(d["kv_bytes_per_token"], 2 * 12 * 768 * 2);
    EXPECT_EQ(d["kv_dtype"], "bfloat16");
    EXPECT_EQ(d["seq_len"], 1024);
    EXPECT_EQ(d["layers"].size(), 12u);
    EXPECT_EQ(d["wiring"]["values"][11][3], json::parse("[[11, 3]]"));
}

TEST(DescribeCommand, TellsOwnerAndReadersOfEveryHead) {
    const json d = described({"--preset", "gpt2-124m", "--set", "model.arch=skipv1", "--set",
                              "model.n_layer=3", "--dtype", "f32"});
    const json& owner = d["layers"][0]["values"][6];
    EXPECT_EQ(owner["bytes"], 64 * 4);
    EXPECT_EQ(owner["readers"], json::parse("[[0, 6], [1, 6], [2, 6]]"));
    const json& reader = d["layers"][2]["values"][6];
    EXPECT_EQ(reader["bytes"], 0);
    EXPECT_EQ(reader["sources"], json::parse("[[0, 6]]"));
    EXPECT_EQ(d["layers"][2]["own_value_heads"], 6);
}

TEST(DescribeCommand, ReadsAJobFileAndItsVocabulary) {
    const auto path = scratch(".json");
    std::ofstream(path) << R"({"name": "x", "model": {"preset": "tiny"},
                              "data": {"train": "text:/not/opened", "tokenizer": "byte"}})";
    const json d = described({"--job", path.string(), "--seq", "128"});
    EXPECT_EQ(d["name"], "x");
    EXPECT_EQ(d["model"]["vocab_size"], 256);
    EXPECT_EQ(d["seq_len"], 128);
    std::ofstream(path) << R"({"data": {"train": "tokens:/no/such.bin"}})";
    expect_error({"describe", "--job", path.string()}, "--set model.vocab_size=N");
    std::filesystem::remove(path);
    expect_error({"describe", "--job", path.string()}, "does not exist");
}

TEST(DescribeCommand, AsksTheDataOfAJobForTheVocabulary) {
    const auto folder = scratch("-data");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "text.txt") << std::string(200, 'a') + std::string(200, 'b') + "c\n";
    std::ofstream(folder / "job.json") << R"({"model": {"preset": "tiny"},
        "data": {"train": "text:text.txt", "val": "split:0.5", "tokenizer": "char"}})";
    const json d = described({"--job", (folder / "job.json").string()});
    EXPECT_EQ(d["model"]["vocab_size"], 4);
    EXPECT_THAT(d["vocab_size_from"].get<std::string>(), HasSubstr("text.txt"));
    std::filesystem::remove_all(folder);
}

TEST(DescribeCommand, RefusesWrongInputInOneLine) {
    expect_error({"describe"}, "give one of --preset NAME, --job FILE and --checkpoint FILE");
    expect_error({"describe", "--preset", "a", "--job", "b"}, "not both");
    expect_error({"describe", "--preset", "tini"}, "did you mean \"tiny\"?");
    expect_error({"describe", "--preset", "tiny", "--set", "model.n_haed=3"},
                 "did you mean \"model.n_head\"?");
    expect_error({"describe", "--preset", "tiny", "--set", "model.n_head=7"},
                 "model.n_head = 7 does not divide model.d_model = 192");
    expect_error({"describe", "--preset", "tiny", "--dtype", "i32"}, "--dtype i32");
    expect_error({"describe", "--preset", "tiny", "--dtype", "f31"},
                 "--dtype f31 is no number type; use f32, f64, bf16 or f16");
    expect_error({"describe", "--preset", "tiny", "--seq", "0"}, "--seq");
}

TEST(DescribeCommand, TextTellsWhatALayerReadsOfOthers) {
    const auto text = [](const std::string& arch) {
        return headroom({"describe", "--preset", "tiny", "--set", "model.arch=" + arch}).out;
    };
    EXPECT_THAT(text("skipv1"), HasSubstr("values 3-5 from layer 0"));
    EXPECT_THAT(text("resformer"), HasSubstr("values 0-5 mixed with layer 0"));
    EXPECT_THAT(text("yoco"), HasSubstr("keys 0-5 from layer 2; values 0-5 from layer 2"));
    EXPECT_THAT(text("skipv1_mla"), HasSubstr("latent 128-255 from layer 0"));
    EXPECT_THAT(text("gpt2"), testing::Not(HasSubstr("from layer")));
    EXPECT_THAT(text("gpt2"), HasSubstr("mlp                     1,769,472   64.23 %"));
}

TEST(DescribeCommand, EditsOfTheWiringAreCountedLikeTheJobThatHasThem) {
    const json edited = described({"--preset", "gpt2-124m", "--wire", "values 1-11.6-11 read 0"});
    const json skip = described({"--preset", "gpt2-124m-skipv1"});
    for (const char* key : {"wiring", "layers", "params_total", "kv_bytes_per_token"})
        EXPECT_EQ(edited[key], skip[key]) << key;
    const std::string job = scratch("-wired.json").string();
    std::ofstream(job) << json{{"model", edited["model"]}};
    EXPECT_EQ(described({"--job", job})["layers"], edited["layers"]);
    std::filesystem::remove(job);
    expect_error({"describe", "--preset", "gpt2-124m", "--wire", "values 1 read 2"},
                 "layer 1 cannot read layer 2");
    expect_error({"describe", "--preset", "gpt2-124m", "--wire", "values 1 reed 0"},
                 "did you mean \"read\"?");
    const std::vector<std::string> of_weights{"describe",
                                              "--preset",
                                              "gpt2-124m",
                                              "--wire",
                                              "values 1.0 read 1.1",
                                              "--set",
                                              "train.init_from=a.safetensors",
                                              "--set",
                                              "train.init_convert=rewire"};
    expect_error(of_weights, "in layer 1 what is projected for head 1 would count as head 0's");
}

TEST(DescribeCommand, AnEncoderKeepsNoCache) {
    const json d = described({"--preset", "tiny", "--set", "model.causal=false"});
    EXPECT_FALSE(d["kv_decodable"].get<bool>());
    expect_error({"describe", "--preset", "tiny", "--set", "model.causal=false", "--match", "tiny",
                  "--by", "cache"},
                 "the model is an encoder");
}

TEST(DescribeCommand, SetsTwoModelsSideBySide) {
    const json d = described({"--preset", "gpt2-124m-skipv1", "--against", "gpt2-124m"});
    EXPECT_EQ(d["name"], "gpt2-124m-skipv1");
    EXPECT_EQ(d["baseline"], "gpt2-124m");
    EXPECT_EQ(d["params_by_role"]["value"]["difference"], -11 * 6 * 64 * 768);
    const Outcome text =
        headroom({"describe", "--preset", "gpt2-124m-skipv1", "--against", "gpt2-124m"});
    EXPECT_THAT(text.out, HasSubstr("layer 0                      nothing"));
    EXPECT_THAT(text.out,
                HasSubstr("layers 1-11                  value -294,912; cache -384 numbers"));
    EXPECT_THAT(text.out, testing::Not(HasSubstr("layers 2-11"))) << "each layer once";
}

TEST(DescribeCommand, FindsTheSizeThatMakesAModelAsLargeAsAnother) {
    const json d = described({"--preset", "gpt2-124m-wq-identity", "--match", "gpt2-124m", "--by",
                              "params", "--vary", "d_ff"});
    EXPECT_EQ(d["best"]["value"], 3456);
    EXPECT_EQ(d["baseline"], "gpt2-124m");
    const Outcome text =
        headroom({"describe", "--preset", "gpt2-124m-wq-identity", "--match", "gpt2-124m"});
    EXPECT_THAT(text.out, testing::EndsWith("\n--set model.d_ff=3456\n"));
}

TEST(DescribeCommand, ABaselineMayBeAJobFileAndLendsItsVocabulary) {
    const auto path = scratch("-baseline.json");
    std::ofstream(path) << R"({"name": "b", "model": {"preset": "tiny", "vocab_size": 777}})";
    const json d = described({"--preset", "tiny", "--against", path.string()});
    EXPECT_EQ(d["baseline"], "b");
    EXPECT_EQ(d["params_total"]["difference"], 0);
    const json m = described({"--job", path.string(), "--match", "tiny", "--set",
                              "model.arch=wq_identity", "--vary", "d_ff"});
    EXPECT_EQ(m["best"]["value"], 4 * 192 + 96);
    std::filesystem::remove(path);
}

TEST(DescribeCommand, RefusesABaselineThatIsNone) {
    expect_error({"describe", "--preset", "tiny", "--against", "smal"}, "did you mean \"small\"?");
    expect_error({"describe", "--preset", "tiny", "--match", "/no/such.json"},
                 "--match \"/no/such.json\" is no preset, job file or checkpoint");
    expect_error({"describe", "--preset", "tiny", "--match", "small", "--by", "flop"},
                 "did you mean \"flops\"?");
    expect_error({"describe", "--preset", "tiny", "--match", "small", "--vary", "width"},
                 "--vary width is not known");
    expect_error({"describe", "--preset", "tiny", "--match", "small", "--against", "small"},
                 "--against");
    expect_error({"describe", "--preset", "tiny", "--vary", "d_ff"}, "--match");
    expect_error({"describe", "--preset", "tiny", "--match", ""}, "--match");
    expect_error({"describe", "--preset", "tiny", "--match", "small", "--multiple-of", "0"},
                 "--multiple-of");
}

TEST(PresetsCommand, ListsEveryPresetWithItsCounts) {
    const Outcome outcome = headroom({"presets", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json list = json::parse(outcome.out)["presets"];
    bool seen = false;
    for (const json& preset : list)
        if (preset["name"] == "gpt2-124m-wq-identity") {
            seen = true;
            EXPECT_EQ(preset["params_total"], 117'295'872);
            EXPECT_EQ(preset["params_non_embedding"], 77'875'968);
            EXPECT_EQ(preset["kv_bytes_per_token"], 2 * 2 * 12 * 768);
            EXPECT_THAT(preset["source"].get<std::string>(), HasSubstr("table 2"));
            EXPECT_FALSE(preset["vocab_size_assumed"].get<bool>());
        }
    EXPECT_TRUE(seen);
    EXPECT_THAT(headroom({"presets"}).out, HasSubstr("124,373,760"));
}

}  // namespace
}  // namespace headroom

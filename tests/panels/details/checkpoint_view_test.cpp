#include "panels/details/checkpoint_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/weights/interop/foreign_files.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string line(const CheckpointView& view, const std::string& section, const std::string& name) {
    for (const DetailSection& candidate : view.sections)
        for (const DetailLine& found : candidate.lines)
            if (candidate.title == section && found.name == name) return found.value;
    return "(none)";
}

TEST(CheckpointView, TellsWhatAnotherToolWrote) {
    const TemporaryFolder folder;
    write_fake_folder(folder / "small-llama", fake_llama(false), kFakeLlamaConfig);
    const CheckpointView view =
        build_checkpoint_view(CheckpointWeights::open(folder / "small-llama"));
    EXPECT_EQ(view.title, "small-llama");
    EXPECT_EQ(view.headline, "Hugging Face Llama, 2 layers, 762 parameters");
    EXPECT_EQ(line(view, "Checkpoint", "stored as"), "F64");
    EXPECT_EQ(line(view, "Checkpoint", "written by"), "Hugging Face Llama");
    EXPECT_EQ(line(view, "Counts", "parameters"), "762");
    EXPECT_EQ(line(view, "Model", "pos"), "rope");
    EXPECT_EQ(line(view, "Model", "n_kv_head"), "1");
    EXPECT_EQ(view.wiring.n_layer, 2);
    EXPECT_EQ(view.wiring.n_kv_head, 1);
    EXPECT_EQ(view.architecture.layers.size(), 2u);
}

TEST(CheckpointView, ShowsTheNotesAndTheStep) {
    const TemporaryFolder folder;
    write_fakes(folder / "x.safetensors", fake_llama(true));
    const CheckpointView assumed = build_checkpoint_view(
        CheckpointWeights::open(folder / "x.safetensors", {.sets = {"model.n_head=2"}}));
    EXPECT_THAT(line(assumed, "Checkpoint", "note"),
                AllOf(HasSubstr("rope_theta"), HasSubstr("assumed")));
    FakeTensors ours;
    const std::string config = R"({"n_layer": 1, "n_head": 1, "d_model": 2, "d_ff": 2,
                                   "vocab_size": 3, "block_size": 2})";
    for (const auto& [name, shape] :
         std::map<std::string, std::vector<int64_t>>{{"wte.weight", {3, 2}},
                                                     {"wpe.weight", {2, 2}},
                                                     {"ln_f.weight", {2}},
                                                     {"h.0.ln_1.weight", {2}},
                                                     {"h.0.ln_2.weight", {2}},
                                                     {"h.0.attn.q.weight", {2, 2}},
                                                     {"h.0.attn.k.weight", {2, 2}},
                                                     {"h.0.attn.v.weight", {2, 2}},
                                                     {"h.0.attn.o.weight", {2, 2}},
                                                     {"h.0.mlp.up.weight", {2, 2}},
                                                     {"h.0.mlp.down.weight", {2, 2}}})
        add_fake(ours, name, shape);
    write_fakes(folder / "y.safetensors", ours, {{"config", config}, {"step", "1500"}});
    const CheckpointView view =
        build_checkpoint_view(CheckpointWeights::open(folder / "y.safetensors"));
    EXPECT_EQ(line(view, "Checkpoint", "step"), "1,500");
    EXPECT_EQ(line(view, "Checkpoint", "written by"), "Headroom");
}

}  // namespace
}  // namespace headroom

#include "core/weights/interop/tensor_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/weights/interop/foreign_files.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint_about(const std::filesystem::path& path) {
    try {
        TensorSet::open(path);
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

FakeTensors one(const std::string& name) {
    FakeTensors tensors;
    add_fake(tensors, name, {2, 3});
    return tensors;
}

/// Two shards and an index over them.
void write_shards(const TemporaryFolder& folder, const std::string& weight_map) {
    write_fakes(folder / "a.safetensors", one("x"));
    write_fakes(folder / "b.safetensors", one("y"));
    write_plainly(folder / "model.safetensors.index.json",
                  R"({"metadata": {"total_size": 96}, "weight_map": )" + weight_map + "}");
}

TEST(TensorSet, OpensAFileAFolderAndAnIndex) {
    const TemporaryFolder folder;
    write_fakes(folder / "alone.safetensors", one("x"), {{"config", "{}"}});
    EXPECT_THAT(TensorSet::open(folder / "alone.safetensors").names(), ElementsAre("x"));
    EXPECT_THAT(TensorSet::open(folder.path()).names(), ElementsAre("x"));
    EXPECT_EQ(TensorSet::open(folder.path()).metadata().at("config"), "{}");
    write_shards(folder, R"({"x": "a.safetensors", "y": "b.safetensors"})");
    for (const auto& path : {folder.path(), folder / "model.safetensors.index.json"}) {
        const TensorSet set = TensorSet::open(path);
        EXPECT_THAT(set.names(), ElementsAre("x", "y"));
        EXPECT_EQ(set.file_of("y").path(), folder / "b.safetensors");
        EXPECT_EQ(set.info("y").shape, (std::vector<int64_t>{2, 3}));
    }
}

TEST(TensorSet, KnowsACheckpointByItsName) {
    const TemporaryFolder folder;
    EXPECT_TRUE(names_checkpoint("a/b.safetensors"));
    EXPECT_TRUE(names_checkpoint("a/model.safetensors.index.json"));
    EXPECT_TRUE(names_checkpoint("a/pytorch_model.bin"));
    EXPECT_FALSE(names_checkpoint("a/job.json"));
    EXPECT_FALSE(names_checkpoint(folder.path()));
    write_plainly(folder / "config.json", "{}");
    EXPECT_TRUE(names_checkpoint(folder.path()));
}

TEST(TensorSet, NamesATensorThatIsNotThere) {
    const TemporaryFolder folder;
    write_fakes(folder / "x.safetensors", one("weight"));
    EXPECT_THROW(TensorSet::open(folder.path()).info("wieght"), UserError);
}

TEST(TensorSet, NeverOpensPickles) {
    const TemporaryFolder folder;
    write_plainly(folder / "pytorch_model.bin", "PK\x03\x04");
    for (const auto& path : {folder.path(), folder / "pytorch_model.bin"})
        EXPECT_THAT(complaint_about(path), AllOf(HasSubstr("pytorch_model.bin is a PyTorch pickle"),
                                                 HasSubstr("safetensors.torch.save_model")));
}

TEST(TensorSet, RefusesFoldersThatDoNotSayWhatTheyHold) {
    const TemporaryFolder folder;
    EXPECT_THAT(complaint_about(folder.path()), HasSubstr("has no safetensors file"));
    EXPECT_THAT(complaint_about(folder / "missing"), HasSubstr("missing"));
    write_fakes(folder / "a.safetensors", one("x"));
    write_fakes(folder / "b.safetensors", one("y"));
    EXPECT_THAT(complaint_about(folder.path()), HasSubstr("2 safetensors files"));
}

TEST(TensorSet, RefusesShardsOutsideTheFolder) {
    const TemporaryFolder folder;
    for (const char* name :
         {"../a.safetensors", "/etc/passwd", "..", ".", "", "sub/a.safetensors"}) {
        write_shards(folder, fmt::format(R"({{"x": "{}", "y": "b.safetensors"}})", name));
        EXPECT_THAT(complaint_about(folder.path()),
                    AllOf(HasSubstr("\"x\""), HasSubstr("names no file in its folder")))
            << name;
    }
}

TEST(TensorSet, RefusesAnIndexThatDoesNotMatchItsShards) {
    const TemporaryFolder folder;
    write_shards(folder, R"({"x": "a.safetensors", "y": "c.safetensors"})");
    EXPECT_THAT(complaint_about(folder.path()), HasSubstr("c.safetensors"));
    write_shards(folder, R"({"x": "b.safetensors", "y": "b.safetensors"})");
    EXPECT_THAT(complaint_about(folder.path()),
                HasSubstr("tensor \"x\" is not in \"b.safetensors\""));
    write_shards(folder, R"({"y": "b.safetensors"})");
    EXPECT_EQ(complaint_about(folder.path()), "");
    write_fakes(folder / "b.safetensors", {{"x", fake_tensor({1}, 1)}, {"y", fake_tensor({1}, 2)}});
    EXPECT_THAT(complaint_about(folder.path()), HasSubstr("does not list tensor \"x\""));
}

TEST(TensorSet, RefusesBrokenIndexFiles) {
    const TemporaryFolder folder;
    for (const char* text : {"", "[]", "{}", R"({"weight_map": []})", R"({"weight_map": {}})",
                             R"({"weight_map": {"x": 1}})", R"({"weight_map": {"x": null}})",
                             R"({"weight_map": {"x": "a", "x": "a"}})"}) {
        write_plainly(folder / "model.safetensors.index.json", text);
        EXPECT_THAT(complaint_about(folder.path()), HasSubstr("model.safetensors.index.json"))
            << text;
    }
}

}  // namespace
}  // namespace headroom

// Random damage to files of other tools: opening and reading them ends in a value or in a UserError
// of one line, and never allocates more than the file holds.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/weights/checkpoint_weights.h"
#include "tests/core/weights/interop/foreign_files.h"

namespace headroom {
namespace {

using Random = std::mt19937_64;

size_t below(Random& random, size_t n) {
    return random() % n;
}

/// Opens the folder and reads all that it has. True if it was accepted.
bool survives(const std::filesystem::path& path) {
    try {
        const CheckpointWeights weights = CheckpointWeights::open(path);
        for (const ParameterSpec& spec : weights.specs()) weights.read<float>(spec.name);
        return true;
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        return false;
    }
}

/// Changes, removes or repeats a few bytes of the first `limit`.
std::string damaged(std::string text, size_t limit, Random& random) {
    for (size_t n = 1 + below(random, 3); n > 0 && !text.empty(); --n) {
        const size_t place = below(random, std::min(limit, text.size()));
        switch (below(random, 5)) {
            case 0:
                text[place] = static_cast<char>(random());
                break;
            case 1:
                text[place] = "0123456789-,:[]{}\".e"[below(random, 20)];
                break;
            case 2:
                text.erase(place, 1 + below(random, 8));
                break;
            case 3:
                text.insert(place, text.substr(place, 1 + below(random, 40)));
                break;
            default:
                if (below(random, 4) == 0) text.resize(place);
        }
    }
    return text;
}

TEST(ForeignFuzz, DamagedHeadersAreRefusedOrRead) {
    const TemporaryFolder folder;
    write_fake_folder(folder.path(), fake_gpt2(false, true), kFakeGpt2Config);
    ASSERT_TRUE(survives(folder.path()));
    const std::string whole = read_text(folder / "model.safetensors");
    const size_t header = whole.find('}', whole.rfind("data_offsets")) + 10;
    Random random(20251121);
    int refused = 0;
    for (int i = 0; i < 600; ++i) {
        write_plainly(folder / "model.safetensors", damaged(whole, header, random));
        refused += survives(folder.path()) ? 0 : 1;
    }
    EXPECT_GT(refused, 300);
}

TEST(ForeignFuzz, DamagedConfigsAreRefusedOrRead) {
    const TemporaryFolder folder;
    Random random(7);
    int refused = 0;
    const std::vector<std::pair<FakeTensors, std::string>> models{
        {fake_gpt2(false, true), kFakeGpt2Config},
        {fake_llama(false), kFakeLlamaConfig},
        {fake_neox(), kFakeNeoxConfig}};
    for (const auto& [tensors, config] : models) {
        write_fake_folder(folder.path(), tensors, config);
        ASSERT_TRUE(survives(folder.path()));
        for (int i = 0; i < 300; ++i) {
            write_plainly(folder / "config.json", damaged(config, config.size(), random));
            refused += survives(folder.path()) ? 0 : 1;
        }
    }
    EXPECT_GT(refused, 450);
}

TEST(ForeignFuzz, DamagedIndexFilesAreRefusedOrRead) {
    const TemporaryFolder folder;
    write_fake_folder(folder.path(), fake_llama(true), kFakeLlamaConfig);
    std::filesystem::rename(folder / "model.safetensors", folder / "s.safetensors");
    std::string index = "{\"weight_map\": {";
    for (const auto& [name, tensor] : fake_llama(true))
        index += fmt::format("{}\"{}\": \"s.safetensors\"", index.back() == '{' ? "" : ", ", name);
    index += "}}";
    std::string config = kFakeLlamaConfig;
    config.replace(config.find("false"), 5, "true");
    write_plainly(folder / "config.json", config);
    write_plainly(folder / "model.safetensors.index.json", index);
    ASSERT_TRUE(survives(folder.path()));
    Random random(99);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        write_plainly(folder / "model.safetensors.index.json",
                      damaged(index, index.size(), random));
        refused += survives(folder.path()) ? 0 : 1;
    }
    EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace headroom

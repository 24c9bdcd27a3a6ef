#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/memory/treemap_layout.h"
#include "panels/memory/treemap_view.h"

namespace headroom {
namespace {

using testing::HasSubstr;

MemoryModel memory_of(const std::string& name) {
    return {name, parse_model_config({{"preset", name}}, "")};
}

MemoryFigureSettings settings(MemoryUse use = MemoryUse::kInference) {
    MemoryFigureSettings result;
    result.plot = MemoryPlot::kTreemap;
    result.use = use;
    result.dtype = DType::kF32;
    result.batch_size = 2;
    result.context = 512;
    return result;
}

const TreemapNode* child(const TreemapNode& node, const std::string& name) {
    for (const TreemapNode& each : node.children)
        if (each.name == name) return &each;
    return nullptr;
}

TEST(Squarify, FillsTheRectangleInProportion) {
    const std::vector<int64_t> sizes{6, 6, 4, 3, 2, 2, 1, 0};
    const auto rects = squarify(sizes, {10, 20, 6, 4});
    double area = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_NEAR(rects[i].area(), static_cast<double>(sizes[i]), 1e-9) << i;
        area += rects[i].area();
        if (sizes[i] == 0) continue;
        EXPECT_GE(rects[i].x, 10 - 1e-9);
        EXPECT_LE(rects[i].x + rects[i].width, 16 + 1e-9);
        EXPECT_LE(rects[i].y + rects[i].height, 24 + 1e-9);
    }
    EXPECT_NEAR(area, 24, 1e-9);
    // The example of the paper's figure 4: the first two stand above each other, 3 wide, 2 high.
    EXPECT_NEAR(rects[0].width, 3, 1e-9);
    EXPECT_NEAR(rects[1].height, 2, 1e-9);
}

TEST(Squarify, RectanglesDoNotOverlap) {
    const std::vector<int64_t> sizes{100, 1, 7, 7, 7, 50, 3, 3, 20};
    const auto rects = squarify(sizes, {0, 0, 300, 200});
    for (size_t i = 0; i < rects.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            const TreemapRect &a = rects[i], &b = rects[j];
            const double wide = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
            const double high = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
            EXPECT_FALSE(wide > 1e-6 && high > 1e-6) << i << " and " << j;
        }
}

TEST(Squarify, NothingTakesNoRoom) {
    EXPECT_TRUE(squarify({}, {0, 0, 10, 10}).empty());
    const std::vector<int64_t> zero{0, 0};
    for (const TreemapRect& rect : squarify(zero, {0, 0, 10, 10})) EXPECT_EQ(rect.area(), 0);
    const std::vector<int64_t> one{5};
    EXPECT_EQ(squarify(one, {0, 0, 0, 10})[0].area(), 0);
}

TEST(Treemap, HoldsTheWholeLedger) {
    for (const MemoryUse use : {MemoryUse::kInference, MemoryUse::kTraining}) {
        const MemoryModel model = memory_of("llama-60m-skipv1");
        const TreemapView view = build_treemap({model}, settings(use));
        std::vector<std::string> notes;
        const MemoryLedger ledger =
            memory_report(memory_question(model, settings(use), notes)).predicted;
        const TreemapNode& root = view.models[0].root;
        // All but the few bytes that align the first of the activations.
        EXPECT_LE(root.bytes, ledger.total);
        EXPECT_GE(root.bytes, ledger.total - kArenaAlignment);
        EXPECT_EQ(child(root, "weights")->bytes, ledger.weights);
        EXPECT_EQ(child(root, "activations")->bytes, ledger.activations);
        EXPECT_EQ(child(root, "KV cache") != nullptr, use == MemoryUse::kInference);
        EXPECT_EQ(child(root, "optimizer state") != nullptr, use == MemoryUse::kTraining);
    }
}

TEST(Treemap, TheCacheIsSplitByOwnerAndSaysWhoReadsIt) {
    const TreemapView view = build_treemap({memory_of("gpt2-124m-skipv1")}, settings());
    const TreemapNode* cache = child(view.models[0].root, "KV cache");
    ASSERT_EQ(cache->children.size(), 12u);
    const TreemapNode* first = child(*child(*cache, "layer 0"), "values");
    const TreemapNode* second = child(*child(*cache, "layer 1"), "values");
    EXPECT_TRUE(first->shared);
    EXPECT_FALSE(second->shared);
    EXPECT_EQ(first->bytes, 2 * second->bytes);
    EXPECT_THAT(first->lines, testing::Contains("read by layers 0-11"));
    EXPECT_THAT(second->lines, testing::Contains("read by layer 1"));
    EXPECT_THAT(view.legend.back().name, HasSubstr("other layers read"));
}

TEST(Treemap, EqualAreasAreEqualBytesAcrossModels) {
    const TreemapView view =
        build_treemap({memory_of("llama-60m"), memory_of("llama-60m-skipv1")}, settings());
    const TreemapLayout layout = lay_out_treemap(view, 900, 400);
    ASSERT_EQ(layout.titles.size(), 2u);
    double scale = 0;
    for (const TreemapCell& cell : layout.cells) {
        const double per_byte = cell.rect.area() / static_cast<double>(cell.bytes);
        if (scale == 0) scale = per_byte;
        EXPECT_NEAR(per_byte / scale, 1, 1e-6) << cell.label;
    }
    EXPECT_THAT(view.notes, testing::Contains("equal areas are equal bytes"));
}

TEST(Treemap, TitlesThatHardlyFitGetASecondLineForTheTotal) {
    const MemoryModel named = memory_of("llama-60m");
    const TreemapView one = build_treemap({named}, settings());
    const TreemapLayout wide = lay_out_treemap(one, 900, 400);
    const TreemapView several =
        build_treemap({named, named, named, named, named, named, named}, settings());
    const TreemapLayout narrow = lay_out_treemap(several, 900, 400);
    ASSERT_EQ(narrow.titles.size(), 7u);
    EXPECT_EQ(narrow.titles[0].name, "llama-60m");
    EXPECT_EQ(narrow.titles[0].total, wide.titles[0].total);
    EXPECT_GT(narrow.titles[0].rect.height, 1.5 * wide.titles[0].rect.height);
}

TEST(Treemap, EveryCellIsFoundAtItsMiddleAndBesideItsNeighbours) {
    const TreemapLayout layout =
        lay_out_treemap(build_treemap({memory_of("llama-60m")}, settings()), 900, 400);
    for (size_t i = 0; i < layout.cells.size(); ++i) {
        const TreemapRect& rect = layout.cells[i].rect;
        EXPECT_EQ(layout.cell_at(rect.x + rect.width / 2, rect.y + rect.height / 2), i);
    }
    EXPECT_EQ(layout.cell_at(-1, 5), std::nullopt);
    size_t at = 0;
    for (int i = 0; i < 100; ++i) at = layout.neighbour(at, 1, 0);
    EXPECT_EQ(layout.neighbour(at, 1, 0), at) << "the arrows end at the right";
    EXPECT_GT(layout.cells[at].rect.x + layout.cells[at].rect.width, 850);
}

TEST(Treemap, ASheetWithoutRoomStaysEmpty) {
    const TreemapView view = build_treemap({memory_of("llama-60m")}, settings());
    EXPECT_TRUE(lay_out_treemap(view, 900, 5).cells.empty());
    EXPECT_TRUE(lay_out_treemap({}, 900, 400).cells.empty());
    EXPECT_FALSE(build_treemap({}, settings()).empty_text.empty());
}

TEST(Treemap, ItsDataAreWrittenWithOwnersAndReaders) {
    const std::string csv = treemap_csv(build_treemap({memory_of("gpt2-124m-skipv1")}, settings()));
    EXPECT_THAT(csv, HasSubstr("model,heading,layer,part,bytes,readers\n"));
    EXPECT_THAT(csv, HasSubstr("gpt2-124m-skipv1,KV cache,0,values,3145728,0-11\n"));
    EXPECT_THAT(csv, HasSubstr("gpt2-124m-skipv1,weights,,embedding,"));
}

TEST(MemoryQuestion, IsTheJobsOwnWhereNothingIsSet) {
    auto job = std::make_shared<Job>(parse_job(
        {{"model", {{"preset", "tiny"}}}, {"train", {{"batch_size", 7}, {"seq_len", 33}}}}, ""));
    const MemoryModel model{"tiny", job->model, job};
    MemoryFigureSettings asked;
    std::vector<std::string> notes;
    MemoryRequest request = memory_question(model, asked, notes);
    EXPECT_EQ(request.batch_size, 1);
    EXPECT_EQ(request.context, job->model.block_size);
    asked.use = MemoryUse::kTraining;
    request = memory_question(model, asked, notes);
    EXPECT_EQ(request.batch_size, 7);
    EXPECT_EQ(request.context, 33);
    asked.batch_size = 3;
    asked.context = 1 << 20;
    request = memory_question(model, asked, notes);
    EXPECT_EQ(request.batch_size, 3);
    EXPECT_EQ(request.context, job->model.block_size);
    EXPECT_EQ(notes.size(), 1u);
}

}  // namespace
}  // namespace headroom

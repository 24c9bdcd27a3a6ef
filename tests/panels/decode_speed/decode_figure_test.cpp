#include "panels/decode_speed/decode_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "panels/figure/figure_csv.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

Json row(const char* size, const char* arch, int batch_size, int context,
         double tokens_per_second) {
    return {{"preset", size},
            {"arch", arch},
            {"batch_size", batch_size},
            {"context", context},
            {"prefill_ms_per_100_tokens", 10 * tokens_per_second},
            {"tokens_per_second", tokens_per_second},
            {"share_of_memory_rate", 0.5}};
}

Json document() {
    Json result{{"device", "CPU, 2 threads"}, {"dtype", "float32"}};
    for (const int batch_size : {1, 8})
        for (const char* size : {"small", "large"})
            for (const char* arch : {"gpt2", "skipv1"})
                result["cases"].push_back(
                    row(size, arch, batch_size, 64,
                        batch_size * (size[0] == 's' ? 10 : 4) + (arch[0] == 's' ? 1 : 0)));
    return result;
}

Figure figure_of(const DecodeFigureSettings& settings) {
    return build_decode_figure(read_decode_result(document(), "r.json"), settings);
}

std::string refusal(const Json& json, const DecodeFigureSettings& settings = {}) {
    try {
        build_decode_figure(read_decode_result(json, "r.json"), settings);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(DecodeFigure, SetsVariantsBesideEachOtherForEverySize) {
    DecodeFigureSettings settings;
    settings.batch_size = 8;
    const Figure figure = figure_of(settings);
    EXPECT_THAT(figure.x.names, ElementsAre("small", "large"));
    std::vector<double> heights;
    for (const FigureBar& bar : figure.bars) heights.push_back(bar.upper);
    EXPECT_THAT(heights, ElementsAre(80, 32, 81, 33));
    EXPECT_LT(figure.bars[0].right(), figure.bars[2].left());
    EXPECT_THAT(figure.footnote, HasSubstr("batch 8"));
}

TEST(DecodeFigure, CsvNamesTheGroupOfEveryColumn) {
    DecodeFigureSettings settings;
    settings.batch_size = 1;
    settings.plot = DecodePlot::kPrefill;
    const std::string csv = figure_csv(figure_of(settings));
    EXPECT_THAT(csv, HasSubstr("gpt2,bar,small,100,"));
    EXPECT_THAT(csv, HasSubstr("skipv1,bar,large,50,"));
}

TEST(DecodeFigure, GroupsByBatchWhereTheSizeIsChosen) {
    DecodeFigureSettings settings;
    settings.over = DecodeOver::kBatch;
    settings.size = "large";
    EXPECT_THAT(figure_of(settings).x.names, ElementsAre("1", "8"));
}

TEST(DecodeFigure, AsksWhichOfSeveralAndRefusesWhatWasNotMeasured) {
    EXPECT_THAT(refusal(document()), HasSubstr("there are several of batch: 1, 8"));
    DecodeFigureSettings settings;
    settings.batch_size = 2;
    EXPECT_THAT(refusal(document(), settings), HasSubstr("--batch 2 was not measured"));
}

TEST(DecodeFigure, RefusesBrokenResultsByRowAndKey) {
    Json broken = document();
    broken["cases"][1].erase("tokens_per_second");
    EXPECT_THAT(refusal(broken), HasSubstr("r.json: cases[1]: tokens_per_second is missing"));
    broken["cases"][1]["tokens_per_second"] = "fast";
    EXPECT_THAT(refusal(broken), HasSubstr("tokens_per_second is no number above zero"));
    broken["cases"][1]["tokens_per_second"] = -1;
    EXPECT_THAT(refusal(broken), HasSubstr("tokens_per_second is no number above zero"));
    EXPECT_THAT(refusal(Json::array()), HasSubstr("no list \"cases\""));
}

}  // namespace
}  // namespace headroom

#include "panels/surgery/surgery_report.h"

#include <cmath>

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

Json precision(double logits, const std::vector<double>& streams) {
    Json rows = Json::array();
    for (const double value : streams)
        rows.push_back({{"layer", static_cast<int>(rows.size()) - 1}, {"relative", value}});
    return {{"logits", {{"relative", logits}}}, {"streams", rows}};
}

Json report_document() {
    return {{"transform", "remove-all"},
            {"matrix", "q"},
            {"layer", nullptr},
            {"inverted",
             {{{"tensor", "h.0.attn.q.weight"}, {"condition", 40.0}},
              {{"tensor", "h.1.attn.q.weight"}, {"condition", 90.0}}}},
            {"precisions",
             {{"float64", precision(1e-14, {0, 2e-15, 4e-15})},
              {"float32", precision(1e-5, {1e-7, 2e-6, 4e-6})},
              {"bfloat16", {{"missing", "this processor has none"}}}}}};
}

TEST(SurgeryFigure, HasALineForEveryPrecisionThatWasMeasured) {
    const Figure figure = build_surgery_figure({read_surgery_report(report_document(), "r.json")});
    ASSERT_EQ(figure.series.size(), 3u);
    EXPECT_EQ(figure.series[0].legend, "float64");
    EXPECT_EQ(figure.series[1].legend, "float32");
    EXPECT_THAT(figure.series[1].data->x(), ElementsAre(-1, 0, 1));
    EXPECT_THAT(figure.series[1].data->y(), ElementsAre(1e-7, 2e-6, 4e-6));
    EXPECT_EQ(figure.y.scale, AxisScale::kLog);
    // The axis has no 0: a mark stands below what it has, and the data say 0.
    EXPECT_THAT(figure.series[0].data->y(), ElementsAre(0, 2e-15, 4e-15));
    EXPECT_THAT(figure.series[2].data->x(), ElementsAre(-1));
    EXPECT_TRUE(figure.series[2].style.hollow);
    EXPECT_LT(figure.series[2].data->y()[0], 2e-15);
    EXPECT_LT(figure.y.range.lower, figure.series[2].data->y()[0]);
    EXPECT_THAT(figure_csv(figure), HasSubstr("\nfloat64,value,-1,0,,\n"));
    EXPECT_THAT(figure_csv(figure), HasSubstr("\nfloat64,exactly 0,-1,,,\n"));
    EXPECT_THAT(figure.footnote, HasSubstr("exactly 0"));
    EXPECT_GE(figure.y.range.upper, 4e-6);
    EXPECT_THAT(figure.footnote, HasSubstr("remove-all q: largest condition number 90"));
}

TEST(SurgeryReport, SaysWhatWasMeasuredAndRounded) {
    Json document = report_document();
    document["precisions"] = {{"float64", precision(1e-14, {0})}};
    const auto said = [&] { return read_surgery_report(document, "r.json").measured_text(); };
    const std::string far = "float64: logits differ by at most 1e-14 of their spread";
    EXPECT_EQ(said(), far);
    document["exact"] = false;
    document["transform_exact"] = true;
    document["rounded_to"] = "bf16";
    document["predicted_speedup"] = 1.25;
    document["loss"] = {{"before", 2.5}, {"after", nullptr}};
    EXPECT_EQ(said(),
              "1.2500 times as fast at batch 1, where reading the weights takes the time; " + far +
                  "; loss 2.500000 before, ? after; rounded to bf16, so no longer exact");
    document["transform_exact"] = false;
    EXPECT_THAT(said(), HasSubstr("rounded to bf16; Recover"));
    for (const char* key : {"transform_exact", "rounded_to", "predicted_speedup", "loss"})
        document.erase(key);
    EXPECT_EQ(said(), far + "; Recover… makes a study that trains it on");
}

TEST(SurgeryFigure, TellsSeveralSurgeriesApartByDashes) {
    Json other = report_document();
    other["transform"] = "remove-one";
    other["layer"] = 3;
    const Figure figure = build_surgery_figure(
        {read_surgery_report(report_document(), "a.json"), read_surgery_report(other, "b.json")});
    ASSERT_EQ(figure.series.size(), 6u);
    EXPECT_EQ(figure.series[2].legend, "remove-one q, layer 3, float64");
    EXPECT_EQ(figure.series[2].style.color, figure.series[0].style.color);
    EXPECT_NE(figure.series[2].style.dash, figure.series[0].style.dash);
}

TEST(SurgeryFigure, KeepsAPlaceWhereADifferenceIsNotFinite) {
    Json broken = report_document();
    broken["precisions"]["float32"]["streams"][1]["relative"] = nullptr;
    const Figure figure = build_surgery_figure({read_surgery_report(broken, "r.json")});
    EXPECT_TRUE(std::isnan(figure.series[1].data->y()[1]));
}

TEST(SurgeryFigure, RefusesWhatSurgeryDidNotWrite) {
    EXPECT_THROW(read_surgery_report(3, "r.json"), UserError);
    EXPECT_THROW(read_surgery_report(Json::object(), "r.json"), UserError);
    for (const char* key : {"transform", "precisions"}) {
        Json broken = report_document();
        broken.erase(key);
        EXPECT_THROW(read_surgery_report(broken, "r.json"), UserError) << key;
    }
    for (const Json& value : {Json("much"), Json(-1), Json::object()}) {
        Json broken = report_document();
        broken["precisions"]["float64"]["streams"][0]["relative"] = value;
        EXPECT_THROW(read_surgery_report(broken, "r.json"), UserError) << value;
    }
    Json nothing = report_document();
    nothing["precisions"] = {{"float64", {{"missing", "too large"}}}};
    EXPECT_THROW(read_surgery_report(nothing, "r.json"), UserError);
}

}  // namespace
}  // namespace headroom

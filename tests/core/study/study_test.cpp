#include "core/study/study.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/support/places.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::ThrowsMessage;

json plain_study() {
    return json::parse(R"({ "schema": "headroom-study/1", "name": "first",
      "job": { "model": { "preset": "tiny" }, "train": { "steps": 300, "lr": 5e-4 } },
      "seeds": [1, 2],
      "runs": [ { "id": "baseline" },
                { "id": "skipv1", "job": { "model": { "arch": "skipv1" },
                                           "train": { "steps": 200 } } } ],
      "figures": [ { "name": "loss", "recipe": "loss", "runs": ["skipv1", "baseline-s1"],
                     "options": { "x": "tokens", "smooth": 0.6, "logy": true } } ] })");
}

std::vector<std::string> ids_of(const Study& study) {
    std::vector<std::string> list;
    for (const StudyRun& run : study.runs) list.push_back(run.id);
    return list;
}

TEST(Study, APriorityIsAWholeNumber) {
    json document = plain_study();
    document["runs"][1]["priority"] = 2;
    EXPECT_EQ(parse_study(document, "study.json").runs[0].priority, 0);
    EXPECT_EQ(parse_study(document, "study.json").runs[1].priority, 2);
    for (const json& wrong :
         {json(1.5), json("high"), json(1001), json(18'446'744'073'709'551'615u), json(1e300)}) {
        document["runs"][1]["priority"] = wrong;
        EXPECT_THAT([&] { parse_study(document, "study.json"); },
                    ThrowsMessage<UserError>(HasSubstr("runs[1]: \"priority\" =")));
    }
}

TEST(Study, ExpandsRunsOverSeeds) {
    const Study study = parse_study(plain_study(), "study.json");
    EXPECT_THAT(ids_of(study), ElementsAre("baseline-s1", "skipv1-s1", "baseline-s2", "skipv1-s2"));
    EXPECT_EQ(study.runs[3].variant, "skipv1");
    EXPECT_EQ(study.runs[3].job.seed, 2);
    EXPECT_EQ(study.runs[3].job.name, "skipv1-s2");
}

TEST(Study, TheUptrainingTemplateStartsSixConversionsFromItsBaseline) {
    const std::filesystem::path tree = source_tree();
    const Study study = load_study(tree / "resources/uptraining/study.json");
    ASSERT_EQ(study.runs.size(), 7u);
    const TrainConfig& baseline = study.runs[0].job.train;
    EXPECT_FALSE(baseline.starts_from_file());
    for (size_t i = 1; i < study.runs.size(); ++i) {
        const TrainConfig& train = study.runs[i].job.train;
        EXPECT_NE(train.init_convert, "none");
        EXPECT_NE(train.init_from.find(fmt::format("step-{:08}", baseline.steps)),
                  std::string::npos);
        EXPECT_LE(static_cast<double>(train.steps), 0.15 * static_cast<double>(baseline.steps));
    }
}

TEST(Study, ItsFiguresMayBeArchitectures) {
    json document = plain_study();
    document["figures"][0] = {{"name", "blocks"}, {"recipe", "architecture"}};
    EXPECT_EQ(parse_study(document, "s").figures[0].recipe, "architecture");
}

TEST(Study, ARunsKeysLieOverTheCommonOnes) {
    const Study study = parse_study(plain_study(), "study.json");
    const Job& skip = study.runs[1].job;
    EXPECT_EQ(skip.train.steps, 200);
    EXPECT_EQ(skip.train.lr, 5e-4);
    EXPECT_EQ(skip.model.n_layer, 6);
    EXPECT_EQ(skip.model.wiring_choice.value_source, "skip");
    EXPECT_EQ(study.runs[0].job.model.wiring_choice.value_source, "own");
}

TEST(Study, OneSeedLeavesTheIdsAsTheyAre) {
    json document = plain_study();
    document.erase("figures");
    document["seeds"] = {7};
    EXPECT_THAT(ids_of(parse_study(document, "s")), ElementsAre("baseline", "skipv1"));
    document.erase("seeds");
    document["job"]["seed"] = 5;
    EXPECT_EQ(parse_study(document, "s").runs[1].job.seed, 5);
}

TEST(Study, FiguresNameRunsByVariantOrById) {
    const StudyFigure figure = parse_study(plain_study(), "study.json").figures.at(0);
    EXPECT_THAT(figure.runs, ElementsAre("skipv1-s1", "skipv1-s2", "baseline-s1"));
    EXPECT_THAT(figure.options,
                ElementsAre(Pair("logy", "true"), Pair("smooth", "0.6"), Pair("x", "tokens")));
    json document = plain_study();
    document["figures"][0].erase("runs");
    EXPECT_THAT(parse_study(document, "s").figures[0].runs,
                ElementsAre("baseline-s1", "baseline-s2", "skipv1-s1", "skipv1-s2"));
}

TEST(Study, ARunMayHaveALegendTextOfItsOwn) {
    json document = plain_study();
    document["runs"][1]["job"]["name"] = "SkipV1Former";
    EXPECT_EQ(parse_study(document, "s").runs[1].job.name, "SkipV1Former-s1");
}

void expect_refused(const std::string& patch, const std::string& what, const std::string& mend) {
    const json document = merged(plain_study(), json::parse(patch));
    EXPECT_THAT(
        [&] { parse_study(document, "study.json"); },
        ThrowsMessage<UserError>(AllOf(HasSubstr("study.json: "), HasSubstr(what), HasSubstr("; "),
                                       HasSubstr(mend), Not(HasSubstr("\n")))))
        << patch;
}

TEST(Study, RefusesMistakesByTheirPlace) {
    expect_refused("[]", "the study = [] is not an object", "write");
    expect_refused(R"({"schema": "headroom-study/2"})", "\"schema\" = \"headroom-study/2\"",
                   "headroom-study/1");
    expect_refused(R"({"rnus": []})", "unknown key \"rnus\" in the study", "\"runs\"?");
    expect_refused(R"({"name": 3})", "\"name\" = 3 is not text", "quotes");
    expect_refused(R"({"runs": []})", "no \"runs\"", "at least one");
    expect_refused(R"({"runs": {}})", "\"runs\" = {} is not a list", "[");
    expect_refused(R"({"runs": [3]})", "runs[0] = 3 is not an object", "{");
    expect_refused(R"({"runs": [{}]})", "runs[0] has no \"id\"", "give");
    expect_refused(R"({"runs": [{"id": "../x"}]})", "runs[0]: \"id\" = \"../x\" cannot name a file",
                   "letters");
    expect_refused(R"({"runs": [{"id": "a"}], "figures": [],
        "published": [{"source": "x", "measure": "val.los", "values": {"a": 1}}]})",
                   "published[0].measure", "val.loss");
    expect_refused(R"({"runs": [{"id": "a"}, {"id": "a"}]})", "two runs would be called \"a-s1\"",
                   "own id");
    expect_refused(R"({"runs": [{"id": "a", "jbo": {}}]})", "unknown key \"jbo\" in runs[0]",
                   "\"job\"?");
    expect_refused(R"({"runs": [{"id": "a", "job": {"model": {"n_hed": 3}}}]})",
                   "run \"a\": unknown key \"n_hed\" in \"model\"", "\"n_head\"?");
    expect_refused(R"({"runs": [{"id": "a", "job": {"seed": 3}}]})", "run \"a\" has a seed",
                   "\"seeds\"");
    expect_refused(R"({"runs": [{"id": "a", "job": 3}]})", "run \"a\": the document is not a job",
                   "write");
    expect_refused(R"({"runs": [{"id": "a", "job": {"model": {"n_stream": 2}}}]})",
                   "run \"a\": model.n_stream = 2 has no effect", "set model.hyper");
    expect_refused(R"({"seeds": []})", "\"seeds\" is empty", "[1]");
    expect_refused(R"({"seeds": [1, 1]})", "\"seeds\" has 1 twice", "keep");
    expect_refused(R"({"seeds": [-1]})", "\"seeds\" has -1", "whole");
    expect_refused(R"({"seeds": [18446744073709551615]})", "which is no seed", "whole");
    expect_refused(R"({"job": {"seed": 1}})", "\"seeds\" and job.seed are both given", "keep");
    expect_refused(R"({"job": {"name": "x"}})", "\"job\" has a name", "ids");
    expect_refused(R"({"figures": [{"name": "f"}]})", "figures[0] has no \"recipe\"", "give");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "los"}]})",
                   "figures[0]: the recipe \"los\" is not known", "\"loss\"?");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss", "runs": ["skipv2"]}]})",
                   "figures[0] names the run \"skipv2\"", "\"skipv1\"?");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss", "options": {"x": []}}]})",
                   "the option \"x\" = [] is no plain value", "number");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss", "options": {"width": -3}}]})",
                   "figures[0]: the option \"width\" -3 is out of range", "1 to 40 inches");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss", "options": {"height": "a"}}]})",
                   "the option \"height\" = \"a\" is no number", "inches");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss", "options": {"smoth": 1}}]})",
                   "figures[0]: \"smoth\" is no option of the recipe loss", "\"smooth\"?");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss"}, {"name": "f",
                   "recipe": "loss"}]})",
                   "two figures are called \"f\"", "own");
}

/// A study of two figures and a page of them, with this as the page's panels.
json with_page(const json& panels) {
    json document = plain_study();
    document["figures"].push_back({{"name", "later"}, {"recipe", "loss"}, {"runs", {"baseline"}}});
    document["figures"].push_back({{"name", "both"},
                                   {"recipe", "panels"},
                                   {"panels", panels},
                                   {"options", {{"columns", 2}}}});
    return document;
}

TEST(Study, APageOfPanelsHasTheirRuns) {
    const StudyFigure page = parse_study(with_page({"later", "loss"}), "s").figures.at(2);
    EXPECT_THAT(page.panels, ElementsAre("later", "loss"));
    EXPECT_THAT(page.runs, ElementsAre("baseline-s1", "baseline-s2", "skipv1-s1", "skipv1-s2"));
    EXPECT_FALSE(page.all_runs);
}

TEST(Study, APageOfNonsenseIsRefused) {
    const auto refused = [](const json& panels, const std::string& part) {
        EXPECT_THAT([&] { parse_study(with_page(panels), "s"); },
                    ThrowsMessage<UserError>(HasSubstr(part)));
    };
    refused({"loss", "both"}, "figure both: the panel both is itself a page of panels");
    refused({"loss", "latre"}, "the panel latre is no figure of the study");
    refused({"loss", "loss"}, "the panel loss stands there twice");
    refused({"loss"}, "figure both has 1 panels");
    refused({"loss", 3}, "names the panel 3");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "loss", "panels": ["g"]}]})",
                   "\"panels\" does not go with the recipe loss", "panels");
    expect_refused(R"({"figures": [{"name": "f", "recipe": "panels", "runs": ["a"]}]})",
                   "\"runs\" does not go with the recipe panels", "leave it out");
}

TEST(Study, MeasuresAreThoseOfALogOrAJob) {
    json document = plain_study();
    document["measures"] = {"params", "val.loss", "last-5", "val/loss", "scalars/piqa.acc"};
    EXPECT_EQ(parse_study(document, "s").measures[1], "final");
    expect_refused(R"({"measures": ["parms"]})", "\"measures\": the measure parms is not known",
                   "give val.loss");
    expect_refused(R"({"measures": ["vla/loss"]})", "did you mean \"val/loss\"?", "log dump");
}

TEST(Study, NamesHaveNoControlCharacters) {
    expect_refused(R"({"name": "x\u001b[31m"})", "the study's \"name\" =", "control characters");
    expect_refused(R"({"runs": [{"id": "a", "job": {"name": "a\u0001"}}]})",
                   "run \"a\": job.name =", "control characters");
}

TEST(Study, FiguresCannotNameFiles) {
    for (const std::string option : {"out", "job", "preset", "set", "json", "help"})
        expect_refused(R"({"figures": [{"name": "f", "recipe": "architecture", "options": {")" +
                           option + R"(": "../precious.svg"}}]})",
                       "is no option of the recipe architecture", "");
}

TEST(Study, MergingGoesKeyByKey) {
    EXPECT_EQ(merged(json::parse(R"({"a": {"b": 1, "c": [1, 2]}, "d": 3})"),
                     json::parse(R"({"a": {"c": [9]}, "d": {"e": 4}})")),
              json::parse(R"({"a": {"b": 1, "c": [9]}, "d": {"e": 4}})"));
}

TEST(Study, TellsTheVariantOfARunByItsSeed) {
    EXPECT_EQ(variant_of_id(id_of_seed("gpt2-s1", 12), 12), "gpt2-s1");
    EXPECT_EQ(variant_of_id("gpt2-s1", 12), "gpt2-s1");
}

}  // namespace
}  // namespace headroom

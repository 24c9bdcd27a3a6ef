#include "panels/launch/launch_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/base/error.h"
#include "core/config/architectures.h"
#include "core/config/job_json.h"
#include "panels/base/number_format.h"
#include "panels/launch/launch_match.h"
#include "panels/launch/launch_probes.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

LaunchPlace place() {
    LaunchPlace place;
    place.program = "/opt/headroom/bin/headroom";
    place.study = "/studies/first";
    place.data = DataFacts{256, "grammar", "", ""};
    return place;
}

TEST(LaunchForm, StartsWithARunThatCanBeLaunched) {
    const LaunchView view = build_launch({}, place());
    EXPECT_TRUE(view.can_launch) << view.other_error << view.variants_error;
    ASSERT_EQ(view.runs.size(), 1u);
    EXPECT_EQ(view.runs[0].id, "gpt2-s1");
    EXPECT_EQ(view.button, "Queue 1 run");
    EXPECT_GT(view.runs[0].params_total, view.runs[0].params_non_embedding);
}

TEST(LaunchForm, PredictsTimeDiskAndFlopsOfAllRuns) {
    LaunchInput input;
    input.preset = "tiny";
    input.seeds = "1-3";
    input.values["train.steps"] = "1000";
    input.values["train.checkpoint_every"] = "250";
    LaunchPlace known = place();
    EXPECT_THAT(build_launch(input, known).cost, HasSubstr("time unknown until"));
    known.flops_per_second = 1e9;
    const LaunchView view = build_launch(input, known);
    ASSERT_EQ(view.runs.size(), 3u);
    const LaunchRun& run = view.runs[0];
    ModelConfig model = run.job.model;
    model.vocab_size = 256;
    const double flops =
        run.tokens * static_cast<double>(count_flops(model, run.job.train.seq_len).training());
    EXPECT_DOUBLE_EQ(run.flops, flops);
    EXPECT_DOUBLE_EQ(run.seconds, flops / 1e9);
    EXPECT_EQ(run.disk_bytes, 4 * (1 + 2) * 4 * run.params_total + 1000 * 44)
        << "checkpoints of weights and two moments, and the log";
    EXPECT_THAT(view.cost, StartsWith("3 runs: about " + format_duration(3 * flops / 1e9)));
    EXPECT_THAT(view.cost, HasSubstr(format_bytes(3 * run.disk_bytes) + " of disk, "));
}

TEST(LaunchForm, ShowsEveryKeyOfTheSchemaThatHasNoWidgetOfItsOwn) {
    const LaunchView view = build_launch({}, place());
    for (const Field& field : job_schema()) {
        const bool elsewhere = field.path == "name" || field.path == "seed" ||
                               field.path == "probes" || field.path == "model.preset" ||
                               field.path == "model.arch";
        EXPECT_EQ(find_field(view, field.path) == nullptr, elsewhere) << field.path;
    }
}

TEST(LaunchForm, ValuesThatNobodyTypedFollowFromTheOthers) {
    LaunchInput input;
    input.preset = "tiny";
    EXPECT_EQ(find_field(build_launch(input, place()), "model.d_head")->value, "32");
    input.values["model.n_head"] = "12";
    const LaunchView view = build_launch(input, place());
    EXPECT_EQ(find_field(view, "model.d_head")->value, "16");
    EXPECT_FALSE(find_field(view, "model.d_head")->changed);
    EXPECT_TRUE(find_field(view, "model.n_head")->changed);
}

TEST(LaunchForm, SaysTheReadersOwnWordsBesideTheField) {
    LaunchInput input;
    input.values["model.n_head"] = "7";
    const LaunchView view = build_launch(input, place());
    std::string expected;
    try {
        parse_job({{"model", {{"preset", "tiny"}, {"n_head", 7}}}}, "");
    } catch (const UserError& error) {
        expected = error.what();
    }
    ASSERT_NE(expected, "");
    EXPECT_EQ(find_field(view, "model.n_head")->error, expected);
    EXPECT_FALSE(view.can_launch);
}

TEST(LaunchForm, FindsAllMistakesAtOnce) {
    LaunchInput input;
    input.values["model.n_head"] = "7";
    input.values["train.lr"] = "fast";
    input.values["train.warmup_steps"] = "900";
    input.values["train.dropout"] = "1.5";
    const LaunchView view = build_launch(input, place());
    for (const char* path : {"model.n_head", "train.lr", "train.warmup_steps", "train.dropout"})
        EXPECT_THAT(find_field(view, path)->error, StartsWith(path));
    EXPECT_EQ(find_field(view, "train.steps")->error, "");
}

TEST(LaunchForm, TextThatIsNoNumberIsRefusedAndKept) {
    LaunchInput input;
    input.values["train.steps"] = "1e400 or so";
    const LaunchView view = build_launch(input, place());
    EXPECT_EQ(find_field(view, "train.steps")->value, "1e400 or so");
    EXPECT_NE(find_field(view, "train.steps")->error, "");
}

TEST(LaunchForm, SeveralVariantsAndSeedsMakeOneRunEach) {
    LaunchInput input;
    input.variants = {"gpt2", "wq_identity", "skipv1"};
    input.seeds = "1-2";
    const LaunchView view = build_launch(input, place());
    std::vector<std::string> ids;
    for (const LaunchRun& run : view.runs) ids.push_back(run.id);
    EXPECT_THAT(ids, ElementsAre("gpt2-s1", "gpt2-s2", "wq_identity-s1", "wq_identity-s2",
                                 "skipv1-s1", "skipv1-s2"));
    EXPECT_EQ(view.button, "Queue 6 runs");
    EXPECT_LT(view.runs[4].kv_bytes_per_token, view.runs[0].kv_bytes_per_token);
    EXPECT_LT(view.runs[2].params_total, view.runs[0].params_total);
}

TEST(LaunchForm, AListOfNumbersMakesARunForEachCombination) {
    LaunchInput input;
    input.variants = {"gpt2", "skipv1"};
    input.seeds = "1, 2";
    input.values["train.lr"] = "1e-3, 2e-3,4e-3";
    input.values["train.weight_decay"] = "0, 0.1";
    const LaunchView view = build_launch(input, place());
    ASSERT_TRUE(view.can_launch);
    EXPECT_EQ(view.runs.size(), 24u);
    EXPECT_EQ(view.button, "Queue 24 runs");
    std::set<std::pair<double, double>> pairs;
    std::set<std::string> ids;
    for (const LaunchRun& run : view.runs) {
        pairs.insert({run.job.train.lr, run.job.train.weight_decay});
        ids.insert(run.id);
    }
    EXPECT_EQ(pairs.size(), 6u);
    EXPECT_EQ(ids.size(), 24u);
    EXPECT_EQ(view.runs[0].job.name, "gpt2 lr=1e-3 weight_decay=0");
    EXPECT_EQ(find_field(view, "train.lr")->value, "1e-3, 2e-3,4e-3") << "as typed";
    input.values = {{"train.lr", "1e-3, 0.001"}, {"train.weight_decay", "0,0.1,0"}};
    EXPECT_EQ(build_launch(input, place()).runs.size(), 8u) << "what is listed twice counts once";
}

// Else what will run shows the first value's numbers for all of them.
TEST(LaunchForm, RunsOfAListThatCountDifferentlyAreShownEach) {
    LaunchInput input;
    input.variants = {"gpt2", "skipv1"};
    input.seeds = "1, 2";
    input.values["train.lr"] = "1e-3, 2e-3";
    input.values["train.batch_size"] = "4, 8";
    LaunchPlace here = place();
    const LaunchView view = build_launch(input, here);
    const std::vector<CountedRuns> rows = counted_runs(view.runs);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_THAT(rows[0].listed, ElementsAre("batch_size=4")) << "rates count alike";
    EXPECT_THAT(rows[1].listed, ElementsAre("batch_size=8"));
    EXPECT_EQ(rows[1].first->tokens, 2 * rows[0].first->tokens);
    EXPECT_EQ(rows[2].first->variant, "skipv1");
    // What a rate alone changes is told apart once it is known.
    here.memory[view.runs.front().memory_key].memory.training.total = 1 << 20;
    EXPECT_EQ(counted_runs(build_launch(input, here).runs).size(), 4u);
    for (const LaunchRun& run : view.runs)
        here.memory[run.memory_key].memory.training.total =
            run.job.train.lr > 1e-3 ? 1 << 20 : 1 << 21;
    EXPECT_THAT(counted_runs(build_launch(input, here).runs)[0].listed,
                ElementsAre("batch_size=4", "lr=1e-3"));
    input.values = {{"train.lr", "1e-3, 2e-3"}};
    input.variants = {"gpt2"};
    const LaunchView rates = build_launch(input, place());
    ASSERT_EQ(counted_runs(rates.runs).size(), 1u);
    EXPECT_TRUE(counted_runs(rates.runs)[0].listed.empty());
}

TEST(LaunchForm, AWrongPlaceInAListIsSaidAtItsField) {
    LaunchInput input;
    input.values["train.lr"] = "1e-3, nonsense";
    EXPECT_THAT(find_field(build_launch(input, place()), "train.lr")->error, HasSubstr("nonsense"));
    input.values["train.lr"] = "1e-3,, 2e-3";
    const LaunchView view = build_launch(input, place());
    EXPECT_THAT(find_field(view, "train.lr")->error, HasSubstr("empty place"));
    EXPECT_FALSE(view.can_launch);
    input.values = {{"train.lr", "1,2,3,4,5,6,7,8,9,10,11"},
                    {"train.steps", "1,2,3,4,5,6,7,8,9,10"},
                    {"train.eps", "1,2,3,4,5,6,7,8,9,10"}};
    EXPECT_FALSE(build_launch(input, place()).can_launch) << "over a thousand combinations";
    input.values = {{"data.train", "text:one, two.txt"}};
    EXPECT_EQ(build_launch(input, place()).runs.size(), 1u) << "a name may have commas";
}

TEST(LaunchForm, RunsThatExistAlreadyAreNotOverwritten) {
    LaunchPlace full = place();
    full.taken = {"gpt2-s1", "gpt2-s1-2"};
    EXPECT_EQ(build_launch({}, full).runs.at(0).id, "gpt2-s1-3");
}

TEST(LaunchForm, TheCommandIsTheOneThatRuns) {
    LaunchPlace odd = place();
    odd.study = "/my studies/it's";
    EXPECT_EQ(build_launch({}, odd).runs.at(0).command,
              "/opt/headroom/bin/headroom train "
              "--job '/my studies/it'\\''s/runs/gpt2-s1/job.json' "
              "--out '/my studies/it'\\''s/runs/gpt2-s1'");
}

TEST(LaunchForm, TheSavedJobReadsBackAsItself) {
    LaunchInput input;
    input.variants = {"skipv1"};
    input.values["model.skip_ratio"] = "0.34";
    const LaunchRun run = build_launch(input, place()).runs.at(0);
    const Job back = parse_job(nlohmann::json::parse(to_json(run.job).dump()), "");
    EXPECT_EQ(back.model.wiring, run.job.model.wiring);
    EXPECT_EQ(back.seed, 1);
    EXPECT_EQ(back.model.wiring_choice.skip_ratio, 0.34);
}

TEST(LaunchForm, RelativePathsStartWhereTheFormWasFilledIn) {
    LaunchPlace here = place();
    here.working_folder = "/home/me";
    LaunchInput input;
    input.values = {{"data.train", "text:book.txt"}, {"data.tokenizer", "gpt2:/opt/gpt2"}};
    const Job job = build_launch(input, here).runs.at(0).job;
    EXPECT_EQ(job.data.train, "text:/home/me/book.txt");
    EXPECT_EQ(job.data.val, "split:0.1");
    EXPECT_EQ(job.data.tokenizer, "gpt2:/opt/gpt2");
}

TEST(LaunchForm, KeysWithoutEffectAreMarked) {
    LaunchInput input;
    EXPECT_FALSE(find_field(build_launch(input, place()), "model.skip_ratio")->relevant);
    input.variants = {"gpt2", "skipv1"};
    EXPECT_TRUE(find_field(build_launch(input, place()), "model.skip_ratio")->relevant);
}

TEST(LaunchForm, DataThatCannotBeUsedStandBesideTheirField) {
    LaunchPlace bad = place();
    bad.data =
        DataFacts{0, "", "text:/nowhere: there is no such file; check the path", "data.train"};
    const LaunchView view = build_launch({}, bad);
    EXPECT_THAT(find_field(view, "data.train")->error, HasSubstr("no such file"));
    EXPECT_FALSE(view.can_launch);
}

LaunchPlace place_of_study(const std::string& job) {
    LaunchPlace own = place();
    own.study_job = job;
    return own;
}

TEST(LaunchForm, StartsFromTheStudysJob) {
    const LaunchPlace study = place_of_study(
        R"({"name": "x", "seed": 9, "model": {"preset": "demo", "n_layer": 3},
            "train": {"steps": 40, "lr": 2e-3}, "probes": [{"kind": "heads", "every": 10}]})");
    const LaunchInput input = start_input(study);
    EXPECT_EQ(input.preset, "demo");
    EXPECT_TRUE(input.values.empty());
    const LaunchView view = build_launch(input, study);
    ASSERT_EQ(view.runs.size(), 1u);
    EXPECT_EQ(view.runs[0].job.model.n_layer, 3);
    EXPECT_EQ(view.runs[0].job.train.steps, 40);
    EXPECT_EQ(view.runs[0].job.probes.size(), 1u);
    EXPECT_THAT(view.cost, HasSubstr(" of disk and the probes, "));
    EXPECT_TRUE(view.changes.empty());
    // Another preset has sizes of its own; the rest stays the study's.
    const LaunchView other = build_launch(with_preset(input, "tiny"), study);
    EXPECT_NE(other.runs[0].job.model.n_layer, 3);
    EXPECT_EQ(other.runs[0].job.train.steps, 40);
    ASSERT_EQ(other.changes.size(), 1u);
    EXPECT_EQ(other.changes[0].text, "preset = tiny (study: demo)");
    EXPECT_EQ(without_change(with_preset(input, "tiny"), study, "model.preset"), input);
}

TEST(LaunchForm, RunsLikeAnotherHaveItsJobAndTheNextSeed) {
    LaunchPlace study = place_of_study(
        R"({"model": {"preset": "demo", "n_layer": 3}, "train": {"steps": 40, "lr": 2e-3}})");
    study.study = "/tmp";
    const auto job = [](int64_t seed) {
        return std::make_shared<const Job>(parse_job(
            {{"name", "hot"},
             {"seed", seed},
             {"model",
              {{"preset", "demo"}, {"n_layer", 3}, {"arch", "skipv1"}, {"skip_ratio", 0.25}}},
             {"train", {{"steps", 40}, {"lr", 4e-3}}}},
            ""));
    };
    study.runs = {{"hot-s1", job(1)}, {"hot-s4", job(4)}};
    study.taken = {"hot-s1", "hot-s4"};
    const LaunchInput input = input_like(*job(1), study);
    EXPECT_EQ(input.seeds, "5") << "after the last that there is";
    EXPECT_EQ(input.preset, "demo");
    EXPECT_THAT(input.variants, ElementsAre("skipv1"));
    EXPECT_THAT(input.values,
                testing::UnorderedElementsAre(testing::Pair("train.lr", "0.004"),
                                              testing::Pair("model.skip_ratio", "0.25")))
        << "what the study has anyway is not repeated";
    const LaunchView view = build_launch(input, study);
    ASSERT_EQ(view.runs.size(), 1u);
    EXPECT_EQ(view.runs[0].job.model, job(1)->model);
    EXPECT_EQ(view.runs[0].job.train, job(1)->train);
}

TEST(LaunchForm, ProbesAreTheStudysUntilOthersAreChosen) {
    LaunchPlace study = place();
    study.study_job = R"({"model": {"preset": "tiny"}, "probes": [
        {"kind": "linear", "every": 20, "steps": 12}, {"kind": "similarity"}]})";
    const LaunchInput start = start_input(study);
    const auto probes_of = [&](const LaunchInput& input) {
        const LaunchView view = build_launch(input, study);
        return view.runs.empty() ? std::vector<ProbeConfig>{} : view.runs[0].job.probes;
    };
    EXPECT_EQ(probes_of(start).size(), 2u);
    EXPECT_TRUE(build_launch(start, study).changes.empty());

    const LaunchInput more = with_probe(start, study, "attention", true, "50");
    ASSERT_EQ(probes_of(more).size(), 3u);
    EXPECT_EQ(probes_of(more)[0].every, 50);
    EXPECT_EQ(probes_of(more)[1].values.get<int64_t>("steps"), 12) << "options stay";
    const LaunchView view = build_launch(more, study);
    ASSERT_EQ(view.changes.size(), 1u);
    EXPECT_EQ(view.changes[0].text,
              "probes: attention every 50, linear every 20, similarity at the end");
    EXPECT_EQ(without_change(more, study, "probes"), start);
    EXPECT_EQ(with_probe(more, study, "attention", false, ""), start) << "the study's again";
    const auto is_linear = [](const ProbeChoice& choice) { return choice.kind == "linear"; };
    const auto linear = std::find_if(view.probes.begin(), view.probes.end(), is_linear);
    ASSERT_NE(linear, view.probes.end());
    EXPECT_TRUE(linear->chosen);
    EXPECT_EQ(linear->every, "20");

    const LaunchView wrong = build_launch(with_probe(start, study, "linear", true, "1e2"), study);
    EXPECT_THAT(wrong.probes_error, HasSubstr("probe linear: \"1e2\" is no whole number"));
    EXPECT_FALSE(wrong.can_launch);

    Job like = build_launch(more, study).runs.at(0).job;
    like.probes.pop_back();
    EXPECT_EQ(probes_of(input_like(like, study)), like.probes);
}

TEST(LaunchForm, KeepsTheSizesOfAStudyWithoutPreset) {
    const LaunchPlace study = place_of_study(
        R"({"model": {"n_layer": 2, "n_head": 2, "d_model": 32, "arch": "skipv1"}})");
    const LaunchInput input = start_input(study);
    EXPECT_THAT(input.variants, ElementsAre("skipv1"));
    const LaunchView view = build_launch(input, study);
    ASSERT_EQ(view.runs.size(), 1u);
    EXPECT_EQ(view.runs[0].job.model.d_model, 32);
    EXPECT_EQ(view.presets.front().name, input.preset);
}

TEST(LaunchForm, AnotherPresetDropsWhatMatchingFilledInAndKeepsWhatWasTyped) {
    LaunchInput input;
    input.values["train.lr"] = "0.01";
    input.values["model.d_ff"] = "539";
    input.matched = {"model.d_ff"};
    const LaunchInput changed = with_preset(input, "demo");
    EXPECT_EQ(changed.values.count("model.d_ff"), 0u);
    EXPECT_EQ(changed.values.at("train.lr"), "0.01");
    const auto& changes = build_launch(changed, place()).changes;
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].text, "train.lr = 0.01 (preset: 0.001)");
}

TEST(LaunchForm, AMaskedObjectiveAsksForAnEncoderAndAddsTheMaskToTheData) {
    LaunchInput input;
    input.values["train.objective"] = "masked";
    const LaunchView causal = build_launch(input, place());
    EXPECT_FALSE(causal.can_launch);
    EXPECT_THAT(find_field(causal, "train.objective")->error, HasSubstr("is for encoders"));
    EXPECT_FALSE(find_field(build_launch({}, place()), "train.mask_rate")->relevant);
    input.values["model.causal"] = "false";
    const LaunchView encoder = build_launch(input, place());
    ASSERT_TRUE(encoder.can_launch);
    EXPECT_TRUE(find_field(encoder, "train.mask_rate")->relevant);
    EXPECT_EQ(planned_job(encoder.runs[0], place())->model.vocab_size, 257);
}

// A new variant was to have a seed that no other run had, and so no partner.
TEST(LaunchForm, ProposesTheSeedsOfTheStudysOwnVariantToANewOne) {
    LaunchPlace study = place_of_study(R"({"model": {"preset": "demo"}, "train": {"steps": 40}})");
    const LaunchInput own = start_input(study);
    EXPECT_EQ(own.seeds, "1");
    LaunchInput both = own;
    both.seeds = "1-2";
    for (const LaunchRun& run : build_launch(both, study).runs)
        study.runs.emplace(run.id, std::make_shared<const Job>(run.job));
    ASSERT_EQ(study.runs.size(), 2u);
    // Sizes are matched with that of the study's own job, whatever stands before it in the list.
    const std::string first = study.runs.begin()->first;
    Job other = *study.runs.begin()->second;
    other.train.batch_size *= 2;
    study.runs.emplace("a-first", std::make_shared<const Job>(other));
    EXPECT_EQ(usual_match_baseline(own, study), "run " + first);
    study.runs.erase("a-first");
    EXPECT_EQ(start_input(study).seeds, "3");
    const LaunchInput with_skip = with_variant(own, "skipv1", true);
    EXPECT_EQ(proposed_seeds(with_skip, study), "3") << "which both then have";
    const LaunchInput skip = with_variant(with_skip, own.variants.front(), false);
    EXPECT_EQ(proposed_seeds(skip, study), "1, 2");
    // Alone in the form, yet beside the study's runs.
    LaunchInput latent = skip;
    latent.variants = {"gqa"};
    EXPECT_THAT(build_launch(latent, study).warning,
                HasSubstr("the study's Baseline on gpt2; GQA on llama: "));
}

TEST(LaunchForm, SaysThatALoneNumberIsOneSeed) {
    LaunchInput input;
    EXPECT_EQ(build_launch(input, place()).seeds_note, "");
    input.seeds = "3";
    EXPECT_EQ(build_launch(input, place()).seeds_note, "seed 3 alone; 1-3 means 3 seeds");
    input.seeds = "1-3";
    EXPECT_EQ(build_launch(input, place()).seeds_note, "");
}

TEST(LaunchForm, RefusesAJobAndSeedThatAreThereAlready) {
    const LaunchView first = build_launch({}, place());
    LaunchPlace study = place();
    Job done = *planned_job(first.runs[0], study);
    done.name = "another name";
    done.device = "cpu";
    study.runs["gpt2-s1"] = std::make_shared<const Job>(done);
    const LaunchView again = build_launch({}, study);
    EXPECT_FALSE(again.can_launch);
    EXPECT_EQ(again.seeds_error,
              "gpt2 with seed 1 is there already as run gpt2-s1; choose another seed");
    LaunchInput input;
    input.seeds = "2";
    EXPECT_TRUE(build_launch(input, study).can_launch);
    input.seeds = "1";
    input.values["train.lr"] = "0.5";
    EXPECT_TRUE(build_launch(input, study).can_launch);
}

TEST(LaunchForm, ListsEveryMistakeWithItsPlace) {
    LaunchInput input;
    input.seeds = "x";
    input.values["model.n_head"] = "7";
    input.values["train.lr"] = "-1";
    std::vector<std::string> paths;
    for (const LaunchProblem& problem : build_launch(input, place()).problems) {
        paths.push_back(problem.path);
        EXPECT_FALSE(problem.text.empty());
    }
    EXPECT_THAT(paths, ElementsAre("seeds", "model.n_head", "train.lr"));
}

TEST(LaunchForm, ARecipeGoesBeforeTheStudysTraining) {
    const LaunchPlace study =
        place_of_study(R"({"model": {"preset": "gpt2-124m"}, "train": {"lr": 2e-3, "steps": 40}})");
    LaunchInput input = start_input(study);
    input.values["train.recipe"] = "skipv1_gpt2";
    const LaunchView view = build_launch(input, study);
    ASSERT_EQ(view.runs.size(), 1u);
    EXPECT_EQ(view.runs[0].job.train.lr, 1e-3);
    EXPECT_EQ(view.runs[0].job.train.steps, 40000);
    input.values["train.steps"] = "100";
    EXPECT_EQ(build_launch(input, study).runs[0].job.train.warmup_steps, 10);
}

TEST(LaunchForm, WaitsUntilTheDataAreKnown) {
    LaunchPlace waiting = place();
    waiting.data.reset();
    EXPECT_FALSE(build_launch({}, waiting).can_launch);
}

TEST(LaunchForm, ShowsMemoryOnceItIsKnown) {
    LaunchPlace here = place();
    const LaunchRun before = build_launch({}, here).runs.at(0);
    EXPECT_FALSE(before.memory.has_value());
    MemoryFacts facts;
    facts.memory.training.total = int64_t{2} << 30;
    facts.memory.largest_probe = int64_t{1} << 30;
    here.memory[before.memory_key] = facts;
    here.machine_bytes = int64_t{2} << 30;
    const LaunchView view = build_launch({}, here);
    EXPECT_EQ(view.runs.at(0).memory->total(), int64_t{3} << 30);
    EXPECT_THAT(describe_memory(*view.runs.at(0).memory), HasSubstr("largest probe 1.00 GiB"));
    EXPECT_THAT(view.warning, HasSubstr("3.00 GiB"));
    EXPECT_TRUE(view.can_launch);
}

// Else a difference of two families is taken for that of grouped heads.
TEST(LaunchForm, VariantsOfTwoBasesAreSaidToDifferInMore) {
    LaunchInput input;
    input.preset = "tiny";
    input.variants = {"gpt2", "gqa"};
    EXPECT_THAT(build_launch(input, place()).warning,
                StartsWith("Baseline on gpt2; GQA on llama: "));
    input.variants.push_back("llama");
    EXPECT_EQ(build_launch(input, place()).warning, "") << "each has its baseline";
    input.variants.pop_back();
    input.values["model.base"] = "llama";
    EXPECT_EQ(build_launch(input, place()).warning, "");
}

TEST(LaunchForm, SeedsAndNamesDoNotChangeTheMemory) {
    LaunchInput input;
    input.seeds = "1,2";
    const LaunchView view = build_launch(input, place());
    EXPECT_EQ(view.runs.at(0).memory_key, view.runs.at(1).memory_key);
    input.values["train.batch_size"] = "4";
    EXPECT_NE(build_launch(input, place()).runs.at(0).memory_key, view.runs.at(0).memory_key);
}

TEST(LaunchForm, ARunThatCannotBePlannedIsRefused) {
    LaunchPlace here = place();
    here.memory[build_launch({}, here).runs.at(0).memory_key].error = "no such graph";
    const LaunchView view = build_launch({}, here);
    EXPECT_EQ(view.other_error, "no such graph");
    EXPECT_FALSE(view.can_launch);
}

TEST(LaunchForm, NoVariantIsRefused) {
    LaunchInput input;
    input.variants.clear();
    EXPECT_FALSE(build_launch(input, place()).can_launch);
}

TEST(LaunchForm, AVariantThatTheSizesRefuseSaysWhy) {
    LaunchInput input;
    input.preset = "tinyllama-1.1b";  // grouped heads, which latent attention has no use for
    input.variants = {"mla"};
    const LaunchView view = build_launch(input, place());
    EXPECT_NE(view.variants_error, "");
    EXPECT_FALSE(view.can_launch);
}

TEST(LaunchForm, CountsTheTokensOfThePapersRuns) {
    // Wu et al., tables 3 and 4: printed as 5B, 1.3B, 2.6B, 7.8B, 13.1B and 15.7B.
    const auto tokens = [](const std::string& preset, int steps, int batch) {
        LaunchInput input;
        input.preset = preset;
        input.values = {{"train.steps", std::to_string(steps)},
                        {"train.batch_size", std::to_string(batch)},
                        {"train.seq_len", "1024"}};
        return build_launch(input, place()).runs.at(0).tokens;
    };
    EXPECT_EQ(tokens("gpt2-124m", 40'000, 120), 4'915'200'000.0);
    EXPECT_EQ(tokens("llama-60m", 2'500, 512), 1'310'720'000.0);
    EXPECT_EQ(tokens("llama-130m", 5'000, 512), 2'621'440'000.0);
    EXPECT_EQ(tokens("llama-350m", 15'000, 512), 7'864'320'000.0);
    EXPECT_EQ(tokens("llama-1.3b", 25'000, 512), 13'107'200'000.0);
    EXPECT_EQ(tokens("llama-3b", 30'000, 512), 15'728'640'000.0);
}

TEST(LaunchForm, HugeNumbersDoNotOverflow) {
    LaunchInput input;
    input.values = {{"train.steps", "1000000000"},
                    {"train.batch_size", "65536"},
                    {"train.grad_accum", "65536"}};
    EXPECT_GT(build_launch(input, place()).runs.at(0).tokens, 1e20);
}

TEST(LaunchForm, EveryVariantHasATitleAndAnExplanation) {
    const LaunchView view = build_launch({}, place());
    ASSERT_EQ(view.variants.size(), architecture_presets().size());
    for (const VariantChoice& variant : view.variants) {
        EXPECT_NE(variant.title, "") << variant.arch;
        EXPECT_NE(variant.help, "") << variant.arch;
    }
}

TEST(ParseSeeds, ReadsListsAndRanges) {
    EXPECT_THAT(parse_seeds("1"), ElementsAre(1));
    EXPECT_THAT(parse_seeds(" 3, 1 ,2"), ElementsAre(1, 2, 3));
    EXPECT_THAT(parse_seeds("1-3,2,7"), ElementsAre(1, 2, 3, 7));
}

TEST(ParseSeeds, RefusesEverythingElse) {
    for (const char* text :
         {"", ",", "1,", "-1", "3-1", "one", "1-100000", "1.5", "1--2", "99999999999999999999"})
        EXPECT_THROW(parse_seeds(text), UserError) << text;
}

TEST(ShellQuoted, LeavesPlainWordsAloneAndProtectsTheRest) {
    EXPECT_EQ(shell_quoted("/a/b-c_1.json"), "/a/b-c_1.json");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
    EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace headroom

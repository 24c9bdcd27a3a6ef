// One run has one colour: in the loss figure, a profile, linear probes and the table alike.
#include "panels/study/run_colors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "panels/figure/palette.h"
#include "panels/jobs/job_table.h"
#include "panels/loss/loss_view.h"
#include "panels/probe/linear_probe_figure.h"
#include "panels/probe/probed_runs.h"
#include "panels/probe/profile_view.h"
#include "panels/study/study_reader.h"
#include "tests/panels/probe/probe_files.h"

namespace headroom {
namespace {

/// A run with a step of training, an evaluation and a lens probe.
void add_run(const TemporaryFolder& study, const std::string& id, int seed, double lr) {
    const std::string job = fmt::format(
        R"({{"name": "{}", "seed": {}, "model": {{"preset": "tiny"}}, "train": {{"lr": {}}}}})", id,
        seed, lr);
    const RunFolder run = create_run_folder(study / ("runs/" + id));
    write_job(run, job);
    auto log = RunLogWriter::create(run.log(), {job, "test", "host", "cpu", ""});
    log.append_train({.step = 1, .tokens = 10, .loss = 3});
    log.append_val({.step = 1, .tokens = 10, .loss = 3});
    log.close();
    std::filesystem::create_directories(run.probes());
    const ProbeSource probe = write_probe(study, id, "lens", 2, [](ArrayFileWriter& file) {
        file.add("/lens/loss", {3}, std::vector<double>{3, 2, 1});
    });
    std::filesystem::rename(probe.file, run.probes() / "lens-step-00000001.h5");
}

/// The colour of each group wherever a study shows one; fails where two views disagree.
std::map<std::string, int> colors_everywhere(const std::filesystem::path& folder) {
    const StudyPointer study = StudyReader(folder).look_at_all();
    std::map<std::string, int> colors;
    const auto see = [&](const std::string& group, int color, const std::string& where) {
        EXPECT_EQ(colors.try_emplace(group, color).first->second, color)
            << group << " in " << where;
    };
    std::vector<ProbeableRun> probeable;
    std::vector<ProbedRun> probed;
    for (const RunPointer& run : study->runs) {
        see(run->group, run->color, "the model");
        probeable.push_back(
            {run->id, run->name, run->group, run->folder.string(), run->color, run->shade, 0});
        ProbedRun linear;
        linear.id = run->id;
        linear.group = run->group;
        linear.color = run->color;
        linear.probe.layers = {0, 1, 2};
        linear.probe.val_loss = {3, 2, 1};
        probed.push_back(std::move(linear));
    }
    for (const bool grouped : {false, true}) {
        LossSettings settings;
        settings.group_seeds = grouped;
        for (const LossCurve& curve : build_loss(study->runs, settings).curves)
            see(curve.series.run->group, curve.color, "the loss figure");
    }
    ProfileSettings lens;
    lens.what = "lens_loss";
    for (const ProfileCurve& curve :
         build_profile(find_newest_probes(probeable, "lens").sources, lens).curves)
        see(curve.name.substr(0, curve.name.find(" (")), curve.color, "the profile");
    const LinearProbeView linear = build_linear_probe(probed, {});
    for (const FigureSeries& series : linear.figure.series)
        see(series.name, series.style.color, "the linear probes");
    for (const JobRow& row : build_job_table(study->runs, {"", false}).rows)
        see(study->find(row.id)->group, row.color, "the table");
    return colors;
}

TEST(RunColors, AreTheSameInEveryViewAlsoAfterRunsAreAdded) {
    const TemporaryFolder study;
    add_run(study, "m-base-s1", 1, 1e-3);
    add_run(study, "m-base-s2", 2, 1e-3);
    add_run(study, "z-skip", 1, 2e-3);
    const auto before = colors_everywhere(study.path());
    ASSERT_EQ(before.size(), 2u);
    EXPECT_NE(before.at("m-base"), before.at("z-skip"));
    add_run(study, "a-new", 1, 3e-3);
    add_run(study, "m-base-s3", 3, 1e-3);
    const auto after = colors_everywhere(study.path());
    ASSERT_EQ(after.size(), 3u);
    for (const auto& [group, color] : before) EXPECT_EQ(after.at(group), color) << group;
}

TEST(RunColors, RunsOfAGroupDifferInShadeAndMarker) {
    for (const bool dark : {false, true})
        for (int color = 0; color < kPaletteSize; ++color) {
            EXPECT_EQ(palette_color(color, 0, dark), palette_color(color, dark));
            EXPECT_NE(palette_color(color, 1, dark), palette_color(color, dark));
        }
    EXPECT_EQ(run_style(2, 1).color, run_style(2).color);
    EXPECT_EQ(run_style(2, 1).dash, run_style(2).dash);
    EXPECT_NE(run_style(2, 1).marker, run_style(2).marker);
}

}  // namespace
}  // namespace headroom

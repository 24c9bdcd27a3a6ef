#include "app/command_line.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/study/run_folder.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CommandLine, MisspeltCommandIsAnsweredWithTheNearestOne) {
    expect_one_error_line(headroom({"docter"}), 2, "did you mean \"doctor\"?");
}

TEST(CommandLine, MisspeltOptionIsAnsweredWithTheNearestOne) {
    expect_one_error_line(headroom({"doctor", "--jsno"}), 2, "did you mean \"--json\"?");
}

TEST(CommandLine, UnknownOptionPointsToTheHelpOfItsCommand) {
    expect_one_error_line(headroom({"doctor", "--quite-another-thing"}), 2,
                          "see headroom doctor --help");
}

TEST(CommandLine, ErrorsAreOnePrintableLineWhateverTheyQuote) {
    const std::string hostile = "x\x1b[31m\n\xff" + std::string(5000, 'y');
    const Outcome outcome = headroom({"study", "status", hostile});
    expect_one_error_line(outcome, 2, "x\\x1b[31m");
    EXPECT_LT(outcome.err.size(), 2000u);
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
    EXPECT_NO_THROW((void)nlohmann::json(outcome.err).dump()) << "no UTF-8";
}

TEST(CommandLine, AClosedOutputIsAFailedOne) {
    const TemporaryFolder folder;
    const std::string command = built_program("headroom") + " presets >&-";
    const std::string said = folder / "said";
    EXPECT_EQ(wait_for_child(start_program("/bin/sh", {"-c", command}, said)), 1);
    EXPECT_THAT(read_text(said), AllOf(StartsWith("error: "), HasSubstr("cannot write to ")));
}

TEST(CommandLine, StatusSaysWhatIsWrongWithThePlan) {
    const TemporaryFolder study;
    write_plainly(study / "study.json", "{}");
    for (const char* form : {"--json", ""}) {
        std::vector<std::string> words{"study", "status", study.path()};
        if (*form != '\0') words.emplace_back(form);
        const Outcome outcome = headroom(words);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_THAT(outcome.err, testing::HasSubstr("is not a study that this version reads"));
    }
}

TEST(CommandLine, StatusNamesRunsThatAreNoUtf8) {
    const TemporaryFolder study;
    write_job(create_run_folder(study / "runs/\xff\x1b[31m"), "{\"name\": \"a\"}");
    const Outcome json = headroom({"study", "status", study.path(), "--json"});
    EXPECT_EQ(json.status, 0) << json.err;
    EXPECT_EQ(nlohmann::json::parse(json.out)["runs"].size(), 1u);
    const Outcome table = headroom({"study", "status", study.path()});
    EXPECT_THAT(table.out, HasSubstr("\xEF\xBF\xBD\\x1b[31m"));
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
    for (const char* flag : {"--help", "--version"}) {
        const Outcome outcome = headroom({flag});
        EXPECT_EQ(outcome.status, 0);
        EXPECT_THAT(outcome.out, HasSubstr("headroom"));
        EXPECT_EQ(outcome.err, "");
    }
}

TEST(CommandLine, OutputThatIsNotTakenIsAnError) {
    const TemporaryFolder folder;
    for (const std::string arguments : {"--version", "presets", "doctor --json"}) {
        const std::string command = "exec '" + built_program("headroom") + "' " + arguments +
                                    " > /dev/full 2> '" + (folder / "err").string() + "'";
        EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << command;
        EXPECT_THAT(read_text(folder / "err"), testing::StartsWith("error: cannot write to"));
    }
}

// It was "unknown key imported_from".
TEST(CommandLine, TheJobOfAnImportedRunIsCalledOne) {
    const TemporaryFolder folder;
    const std::string job = (folder / "job.json").string();
    write_file_atomically(job, R"({"name": "x", "imported_from": {"tool": "csv", "run": "x"}})");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"train", "--job", job, "--out", (folder / "run").string()},
          std::vector<std::string>{"describe", "--job", job}})
        expect_one_error_line(headroom(command), 2, "this run was imported");
}

TEST(CommandLine, PredictionsRefuseAnUnknownDevice) {
    expect_one_error_line(
        headroom({"study", "predict", "--from", "004-figure4", "--device", "cudo"}), 2,
        "did you mean \"cuda\"?");
}

TEST(CommandLine, DoctorPrintsOneJsonDocument) {
    const Outcome outcome = headroom({"doctor", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_GE(document.at("cores").get<int>(), 1);
    EXPECT_GT(document.at("memory_bytes").get<int64_t>(), 0);
    for (const char* name : {"cpu", "onednn", "hdf5", "display", "opengl", "cuda"})
        EXPECT_FALSE(document.at("findings").at(name).at("value").get<std::string>().empty());
}

TEST(CommandLine, StudioWithoutADisplayIsRefusedInOneLine) {
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        unsetenv(variable);
    expect_one_error_line(headroom({}), 1, "no display");
    expect_one_error_line(headroom({source_tree()}), 1, "no display");
    setenv("DISPLAY", ":4711", 1);
    expect_one_error_line(headroom({}), 1, "X11 :4711 does not answer");
    unsetenv("DISPLAY");
}

}  // namespace
}  // namespace headroom

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor/report.h"
#include "core/base/build_info.h"
#include "tests/support/command.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

const PersonalWords kAda{"ada", "turing"};

TEST(DoctorReport, KeepsOfAPathItsLastName) {
    EXPECT_EQ(without_personal("not found (/home/ada/lib/libblis.so.4), sorry", kAda),
              "not found (libblis.so.4), sorry");
    EXPECT_EQ(without_personal("FILE=/home/ada/x and/or 3/4", kAda), "FILE=x and/or 3/4");
}

TEST(DoctorReport, RemovesNamesOfPeopleAndMachinesButNotPartsOfWords) {
    EXPECT_EQ(without_personal("turing:0 of ada, adamw on turingx", kAda),
              "-:0 of -, adamw on turingx");
    EXPECT_EQ(without_personal("nothing", {"", ""}), "nothing");
}

TEST(DoctorReport, HoldsEveryFindingAndTheBuild) {
    const std::vector<Finding> findings{
        {"studio", Finding::Status::kOk, "/home/ada/bin/headroom-studio", ""},
        {"display", Finding::Status::kMissing, "turing:0 does not answer", "ask ada"},
    };
    const std::string report = doctor_report(findings, kAda);
    EXPECT_THAT(report, HasSubstr(build_text()));
    EXPECT_THAT(report, HasSubstr("studio         ok: headroom-studio\n"));
    EXPECT_THAT(report, HasSubstr("missing: -:0 does not answer"));
    for (const char* word : {"home", "ada", "turing"}) EXPECT_THAT(report, Not(HasSubstr(word)));
    for (const char* name : {"system", "qt", "disk here", "variables"})
        EXPECT_THAT(report, HasSubstr(std::string("\n") + name));
}

TEST(DoctorReport, OfThisMachineNamesNeitherItNorAFolder) {
    const Outcome outcome = headroom({"doctor", "--report"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(testing::ContainsRegex("(^|[ (=])/[a-z]")));
    EXPECT_EQ(without_personal(outcome.out, personal_words()), outcome.out);
    expect_one_error_line(headroom({"doctor", "--report", "--json"}), 2, "--json");
}

}  // namespace
}  // namespace headroom

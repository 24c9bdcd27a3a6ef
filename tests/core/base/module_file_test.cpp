#include "core/base/module_file.h"

#include <cmath>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

const ModuleTexts kTexts{"no such module", "build it", "install it"};

/// The library of mathematics, as a module that is at hand everywhere.
std::filesystem::path some_library() {
    Dl_info info{};
    double (*const function)(double) = std::cbrt;
    EXPECT_NE(dladdr(reinterpret_cast<void*>(function), &info), 0);
    return info.dli_fname;
}

TEST(ModuleFile, AModuleThatWasNotBuiltIsTheUsersToBuild) {
    const TemporaryFolder folder;
    try {
        ModuleFile(folder / "headroom-x.so", kTexts);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no such module; build it"));
    }
}

TEST(ModuleFile, AModuleThatCannotBeLoadedSaysWhy) {
    const TemporaryFolder folder;
    write_plainly(folder / "headroom-x.so", "not a library");
    try {
        ModuleFile(folder / "headroom-x.so", kTexts);
        FAIL();
    } catch (const EnvironmentError& error) {
        EXPECT_THAT(error.what(), HasSubstr("headroom-x.so cannot be loaded"));
        EXPECT_THAT(error.what(), HasSubstr("; install it"));
    }
}

TEST(ModuleFile, AFunctionIsFoundByNameOrOfAnotherBuild) {
    const ModuleFile module(some_library(), kTexts);
    EXPECT_EQ(module.function<double(double)>("cbrt")(8.0), 2.0);
    EXPECT_THROW(module.function<void()>("headroom_no_such_function"), std::exception);
}

}  // namespace
}  // namespace headroom

// Reads a log with nothing but an HDF5 library, as programs outside of this repository do.
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

/// Type and rank of a data set, as "float32 [N]"; "" if it is not there.
std::string kind_of(hid_t file, const std::string& path) {
    const hid_t dataset = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
    if (dataset < 0) return "";
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t now = 0, most = 0;
    EXPECT_EQ(H5Sget_simple_extent_dims(space, &now, &most), 1) << path;
    const std::vector<std::pair<hid_t, std::string>> types{{H5T_STD_I8LE, "int8"},
                                                           {H5T_STD_I64LE, "int64"},
                                                           {H5T_STD_U64LE, "uint64"},
                                                           {H5T_IEEE_F32LE, "float32"},
                                                           {H5T_IEEE_F64LE, "float64"}};
    std::string kind = "another type";
    for (const auto& [id, name] : types)
        if (H5Tequal(type, id) > 0) kind = name;
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    return kind + (most == H5S_UNLIMITED ? " [N]" : now == 1 && most == 1 ? " [1]" : " [?]");
}

std::string attribute_of(hid_t file, const char* name) {
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0) return "(none)";
    const hid_t type = H5Aget_type(attribute);
    std::string text(H5Tget_size(type), '\0');
    EXPECT_EQ(H5Tget_class(type), H5T_STRING);
    EXPECT_GE(H5Aread(attribute, type, text.data()), 0);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

void expect_contract(hid_t file) {
    ASSERT_GE(file, 0);
    EXPECT_EQ(attribute_of(file, "schema"), "headroom-log/1");
    EXPECT_EQ(attribute_of(file, "job"), attributes_for_test().job_json);
    EXPECT_EQ(attribute_of(file, "program"), attributes_for_test().program);
    EXPECT_EQ(attribute_of(file, "host"), attributes_for_test().host);
    EXPECT_EQ(attribute_of(file, "device"), attributes_for_test().device);
    EXPECT_EQ(attribute_of(file, "started"), attributes_for_test().started);
    for (const char* path : {"/train/step", "/train/tokens", "/val/step", "/val/tokens",
                             "/system/device_bytes", "/system/host_bytes"})
        EXPECT_EQ(kind_of(file, path), "int64 [N]") << path;
    for (const char* path :
         {"/train/loss", "/train/lr", "/train/grad_norm", "/val/loss", "/system/tokens_per_second"})
        EXPECT_EQ(kind_of(file, path), "float32 [N]") << path;
    for (const char* path : {"/train/seconds", "/system/seconds"})
        EXPECT_EQ(kind_of(file, path), "float64 [N]") << path;
    for (const char* path : {"/train/batch_hash", "/val/batch_hash"})
        EXPECT_EQ(kind_of(file, path), "uint64 [N]") << path;
    EXPECT_EQ(kind_of(file, "/status/state"), "int8 [1]");
    EXPECT_EQ(kind_of(file, "/status/heartbeat"), "float64 [1]");
}

TEST(RunLogContract, HoldsForReadersOfAClosedLog) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 2000);
    writer.close();
    // No option at all: a closed log opens like any HDF5 file.
    const hid_t file = H5Fopen((folder / "log.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    expect_contract(file);
    std::vector<float> loss(2000);
    const hid_t dataset = H5Dopen2(file, "/train/loss", H5P_DEFAULT);
    ASSERT_GE(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, loss.data()), 0);
    EXPECT_EQ(loss[1999], train_row(2000).loss);
    H5Dclose(dataset);
    H5Fclose(file);
}

TEST(RunLogContract, HoldsForSwmrReadersOfALiveLog) {
    const TemporaryFolder folder;
    SharedCounter written;
    const pid_t pid = start_child([&]() -> int {
        auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
        append_steps(writer, 1, 100);
        writer.set_state(RunState::kRunning);
        written.set(1);
        for (;;) ::pause();
    });
    while (written.get() == 0) std::this_thread::yield();
    const hid_t file =
        H5Fopen((folder / "log.h5").c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    expect_contract(file);
    H5Fclose(file);
    ::kill(pid, SIGKILL);
    wait_for_child(pid);
}

}  // namespace
}  // namespace headroom

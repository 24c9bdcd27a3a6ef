// Damage that nothing sees before HDF5 does, and that ends it: read in a child process first.
#include "core/log/trial.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/array_file.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/hdf5_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thread_sanitizer.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
constexpr auto kClosed = h5::Reading::kClosedFile;

/// In a program of its own: 0 if `body` was true.
template <class Body>
int outcome_with_trials(Body&& body) {
    return wait_for_child(start_child([&] {
        start_trials();
        return body() ? 0 : 1;
    }));
}

/// Arrays in a group of so many names that they lie in a heap, where h5_structure.h does not look.
std::string bytes_of_hidden_arrays() {
    const TemporaryFolder folder;
    ArrayFileWriter file(folder / "a.h5");
    file.attribute("schema", "headroom-probe/1");
    for (int i = 0; i < 40; ++i)
        file.create({"/many/array" + std::to_string(i), DType::kF32, {200, 200}, {100, 100}});
    file.commit();
    return read_text(folder / "a.h5");
}

void read_hidden_arrays(const fs::path& path) {
    const ArrayFile file(path);
    for (const std::string& name : file.names("/many")) file.read_all<float>("/many/" + name);
}

std::string why_refused(const fs::path& path) {
    try {
        read_hidden_arrays(path);
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

bool ends_hdf5(const std::string& why) {
    return why.find("it would have ended the program") != std::string::npos;
}

/// Bytes of the headers of objects, names and indices, each damaged in three ways, with a right
/// checksum.
std::vector<std::string> damaged_files(const std::string& good) {
    constexpr size_t kEvery = 7;
    std::vector<std::string> files;
    size_t blocks = 0;
    for (const ChecksummedBlock& block : checksummed_blocks(good)) {
        if (block.begin == 0 || ++blocks > 6) continue;
        for (size_t at = block.begin + 5; at < block.end; at += kEvery)
            for (const char value : {'\0', '\x7f', '\xff'}) {
                std::string bad = good;
                bad[at] = value;
                mend_checksum(bad, block);
                files.push_back(std::move(bad));
            }
    }
    return files;
}

TEST(Trial, WhatEndsHdf5EndsAChildAlone) {
    const TemporaryFolder folder;
    const fs::path good = folder / "good.h5", bad = folder / "bad.h5";
    write_plainly(good, bytes_of_hidden_arrays());
    EXPECT_EQ(outcome_with_trials([&] {
                  for (const std::string& bytes : damaged_files(bytes_of_hidden_arrays())) {
                      write_plainly(bad, bytes);
                      if (signal_of_trial(bad, kClosed) == 0) continue;
                      return signal_of_trial(good, kClosed) == 0 &&
                             signal_of_trial(bad, kClosed) != 0 &&
                             signal_of_trial(good, kClosed) == 0 &&
                             signal_of_trial(folder / "none", kClosed) == 0;
                  }
                  return false;
              }),
              0);
}

TEST(Trial, NothingIsTriedUnasked) {
    EXPECT_EQ(signal_of_trial("anything", kClosed), 0);
}

TEST(Trial, DamageBehindTheStructureCheckIsRefused) {
    // A trial's memory never begins as zeros, which only the C library's allocator can be told.
    if (kThreadSanitizer) GTEST_SKIP() << "its allocator hides what HDF5 reads unset";
    const TemporaryFolder folder;
    const fs::path path = folder / "a.h5";
    SharedCounter refused, tried;
    EXPECT_EQ(outcome_with_trials([&] {
                  for (const std::string& bytes : damaged_files(bytes_of_hidden_arrays())) {
                      write_plainly(path, bytes);
                      tried.set(tried.get() + 1);
                      if (ends_hdf5(why_refused(path))) refused.set(refused.get() + 1);
                  }
                  return true;
              }),
              0);
    EXPECT_GT(tried.get(), 100);
    EXPECT_GT(refused.get(), 0) << "of " << tried.get();
}

/// A file that nothing but a trial refuses, "" if there is none; in a program that tries files.
std::string bytes_that_end_hdf5(const fs::path& scratch) {
    for (std::string& bytes : damaged_files(bytes_of_hidden_arrays())) {
        write_plainly(scratch, bytes);
        if (ends_hdf5(why_refused(scratch))) return std::move(bytes);
    }
    return "";
}

// A window that looks twice a second tried such a file every time, for up to a minute.
TEST(Trial, AFileThatFailedIsNotTriedAgainUntilItChanges) {
    if (kThreadSanitizer) GTEST_SKIP() << "its allocator hides what HDF5 reads unset";
    const TemporaryFolder folder;
    const fs::path path = folder / "a.h5";
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    EXPECT_EQ(outcome_with_trials([&] {
                  const std::string good = bytes_of_hidden_arrays();
                  const std::string bad = bytes_that_end_hdf5(folder / "scratch.h5");
                  if (bad.size() != good.size()) return false;
                  write_plainly(path, bad);
                  fs::last_write_time(path, long_ago);
                  const std::string why = why_refused(path);
                  // Only a trial would see that it is sound by now: nothing tells it from before.
                  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << good;
                  fs::last_write_time(path, long_ago);
                  const bool stands = ends_hdf5(why) && why_refused(path) == why;
                  fs::last_write_time(path, long_ago + std::chrono::seconds(1));
                  return stands && why_refused(path).empty();
              }),
              0);
}

}  // namespace
}  // namespace headroom

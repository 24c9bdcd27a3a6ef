// Damage that carries right checksums: HDF5 1.10 trusts it and ends with a signal, so that files
// are looked at before the library opens them.
#include "core/log/h5_structure.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/array_file.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/hdf5_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

std::string bytes_of_log() {
    const TemporaryFolder folder;
    {
        auto log = RunLogWriter::create(folder / "log.h5", attributes_for_test());
        append_steps(log, 1, 3000);
        log.close();
    }
    return read_text(folder / "log.h5");
}

/// A file with so many names in a group that they lie in a heap, and with chunks of both kinds.
std::string bytes_of_arrays() {
    const TemporaryFolder folder;
    ArrayFileWriter file(folder / "a.h5");
    file.attribute("schema", "headroom-probe/1");
    for (int i = 0; i < 40; ++i)
        file.add<float>("/many/array" + std::to_string(i), {2}, {1.0F, 2.0F}, "nats");
    file.create({"/big", DType::kF32, {1000, 1000}, {100, 100}});
    file.commit();
    return read_text(folder / "a.h5");
}

/// A file with a group whose header had no room left for what was said of it later.
std::string bytes_of_long_header() {
    const TemporaryFolder folder;
    ArrayFileWriter file(folder / "a.h5");
    file.attribute("schema", "headroom-probe/1");
    for (const char* name : {"/some/first", "/some/second", "/some/third"})
        file.add<float>(name, {2}, {1.0F, 2.0F}, "nats");
    file.attribute("/some", "text", std::string(600, 'x'));
    file.commit();
    return read_text(folder / "a.h5");
}

void read_log(const std::filesystem::path& path) {
    read_run_log(path);
}

void read_arrays(const std::filesystem::path& path) {
    const ArrayFile file(path);
    for (const std::string& name : file.names("/many")) file.read_all<float>("/many/" + name);
    file.read_all<float>("/big");
}

void read_long_header(const std::filesystem::path& path) {
    const ArrayFile file(path);
    for (const std::string& name : file.names("/some")) file.read_all<float>("/some/" + name);
}

/// Reads `bytes` in a child: 0 if that went well, 1 if they were refused by name, else a signal.
int outcome(const std::string& bytes,
            const std::function<void(const std::filesystem::path&)>& read) {
    const TemporaryFolder folder;
    write_plainly(folder / "log.h5", bytes);
    return wait_for_child(start_child([&] {
        try {
            read(folder / "log.h5");
            return 0;
        } catch (const UserError&) {
            return 1;
        }
    }));
}

TEST(H5Structure, FilesOfThisProgramAreSound) {
    EXPECT_EQ(outcome(bytes_of_log(), read_log), 0);
    EXPECT_EQ(outcome(bytes_of_arrays(), read_arrays), 0);
}

TEST(H5Structure, ContinuationsAreNoShorterThanTheirFrame) {
    const std::string good = bytes_of_long_header();
    ASSERT_EQ(outcome(good, read_long_header), 0);
    int tried = 0;
    for (const ChecksummedBlock& block : checksummed_blocks(good))
        for (size_t at = block.begin; at + 20 <= block.end; ++at) {
            if (good[at] != 0x10 || good[at + 1] != 16 || good[at + 2] != 0) continue;
            uint64_t place = 0;
            std::memcpy(&place, &good[at + 4], sizeof place);
            if (place > good.size() || good.compare(place, 4, "OCHK") != 0) continue;
            for (const char length : {0, 2, 3, 7}) {
                std::string bad = good;
                bad.replace(at + 12, 8, std::string(1, length) + std::string(7, '\0'));
                mend_checksum(bad, block);
                EXPECT_EQ(outcome(bad, read_long_header), 1) << at;
                ++tried;
            }
        }
    EXPECT_GT(tried, 0);
}

TEST(H5Structure, ParametersOfIndicesAreTheLibrarysOwn) {
    for (const auto& [good, read] :
         {std::pair{bytes_of_log(), &read_log}, std::pair{bytes_of_arrays(), &read_arrays}}) {
        int tried = 0;
        for (const ChecksummedBlock& block : checksummed_blocks(good)) {
            const std::string signature = good.substr(block.begin, 4);
            const bool extensible = signature == "EAHD", tree = signature == "BTHD";
            if (!extensible && !tree) continue;
            for (size_t at = block.begin + 6; at < block.begin + 12; ++at) {
                std::string bad = good;
                bad[at] = '\0';
                if (bad == good) continue;
                mend_checksum(bad, block);
                EXPECT_EQ(outcome(bad, *read), 1) << signature << " " << at - block.begin;
                ++tried;
            }
            if (tried > 40) break;
        }
        EXPECT_GT(tried, 0);
    }
}

/// As addresses stand in a file.
std::string eight_bytes(uint64_t number) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &number, 8);
    return bytes;
}

TEST(H5Structure, NamesOfAHeapLieInOne) {
    const std::string good = bytes_of_arrays(), nowhere = eight_bytes(~uint64_t{0});
    const size_t heap_at = good.find("FRHP");
    ASSERT_NE(heap_at, std::string::npos);
    const std::string heap = eight_bytes(heap_at);
    int tried = 0;
    for (const ChecksummedBlock& block : checksummed_blocks(good)) {
        const size_t at = good.find(heap, block.begin);  // the link info: heap, index by name
        if (good.compare(block.begin, 4, "OHDR") != 0 || at > block.end - 16) continue;
        const std::string index = good.substr(at + 8, 8);
        for (const std::string& places :
             {eight_bytes(8000) + index, eight_bytes(8000) + nowhere,
              eight_bytes(block.begin) + index, nowhere + index, heap + nowhere, heap + heap}) {
            std::string bad = good;
            bad.replace(at, 16, places);
            mend_checksum(bad, block);
            EXPECT_EQ(outcome(bad, read_arrays), 1) << block.begin << " " << tried;
            ++tried;
        }
    }
    EXPECT_EQ(tried, 6);
}

TEST(H5Structure, ParametersOfHeapsAreTheLibrarysOwn) {
    const std::string good = bytes_of_arrays();
    const auto blocks = checksummed_blocks(good);
    const auto heap = std::find_if(blocks.begin(), blocks.end(), [&](const ChecksummedBlock& one) {
        return good.compare(one.begin, 4, "FRHP") == 0;
    });
    ASSERT_NE(heap, blocks.end());
    // Version, bytes of a name's place, filters, largest name, columns of the table of blocks,
    // first and largest block, bits of the heap's size, rows.
    for (const size_t at : {4, 5, 7, 11, 110, 112, 120, 128, 140}) {
        std::string bad = good;
        bad.replace(heap->begin + at, 2, "\xfe\xfe");
        mend_checksum(bad, *heap);
        EXPECT_EQ(outcome(bad, read_arrays), 1) << at;
    }
}

TEST(H5Structure, AttributesEndWithTheirMessages) {
    const std::string good = bytes_of_arrays();
    const std::string name("schema\0", 7);
    int tried = 0;
    for (const ChecksummedBlock& block : checksummed_blocks(good)) {
        const size_t at = good.find(name, block.begin);
        if (good.compare(block.begin, 4, "OHDR") != 0 || at > block.end) continue;
        ASSERT_EQ(good[at - 9], 3) << "the version of the message";
        const auto type_bytes = static_cast<size_t>(good[at - 5]);
        const size_t type = at + name.size(), space = type + type_bytes;
        const std::pair<size_t, char> damages[] = {{at - 8, '\x01'},    // a type that is elsewhere
                                                   {at - 7, '\x08'},    // the name is longer,
                                                   {at - 7, '\x06'},    // or does not end
                                                   {at - 5, '\x7f'},    // the type is longer
                                                   {type, '\x16'},      // or a compound one
                                                   {type + 4, '\x7f'},  // the value is longer
                                                   {space + 1, '\x20'}};  // has 32 dimensions
        for (const auto& [place, byte] : damages) {
            std::string bad = good;
            bad[place] = byte;
            mend_checksum(bad, block);
            EXPECT_EQ(outcome(bad, read_arrays), 1) << place - at;
            ++tried;
        }
    }
    EXPECT_EQ(tried, 7);
}

TEST(H5Structure, OlderFormatsAndCutFilesAreNamed) {
    const TemporaryFolder folder;
    write_plainly(folder / "a", "\x89HDF\r\n\x1a\n" + std::string(100, '\0'));
    EXPECT_THROW(ArrayFile(folder / "a"), UserError);
    const std::string good = bytes_of_arrays();
    EXPECT_EQ(outcome(good.substr(0, good.size() - 1), read_arrays), 1);
}

}  // namespace
}  // namespace headroom

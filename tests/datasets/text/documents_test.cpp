#include "datasets/text/documents.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "datasets/text/encode_documents.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;

TEST(Documents, OfAFolderAreItsTextFilesByPath) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "b");
    std::ofstream(folder / "c.txt") << "third\n";
    std::ofstream(folder / "b/x.md") << "second";
    std::ofstream(folder / "a.text") << "first";
    std::ofstream(folder / "a.png") << "no text";
    const Documents documents = read_documents(folder.path().string(), TextCheck::kUtf8);
    EXPECT_EQ(join_documents(documents), "first\nsecond\nthird\n");
}

TEST(Documents, AreSplitByBytesBetweenCharacters) {
    const Documents documents{{"a", "0123456789"}, {"b", "abcé"}};  // 15 bytes
    const auto [before, after] = split_documents(documents, 0.05);  // cuts inside é
    ASSERT_EQ(before.size(), 2u);
    EXPECT_EQ(before[1].text, "abc");
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(after[0].text, "é");
    const auto [first, rest] = split_documents(documents, 0.9);
    EXPECT_EQ(join_documents(first), "0");
    EXPECT_EQ(rest.size(), 2u);
}

TEST(Documents, NotInUtf8AreRefusedByName) {
    const TemporaryFolder folder;
    std::ofstream(folder / "latin1.txt") << "caf\xe9";
    const std::string path = (folder / "latin1.txt").string();
    EXPECT_EQ(read_document(path, TextCheck::kBytes).text.size(), 4u);
    try {
        read_document(path, TextCheck::kUtf8);
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("latin1.txt is not UTF-8: see byte 3"));
    }
}

TEST(Documents, EndWithEndOfTextWhereTheTokenizerHasIt) {
    const auto tokenizer =
        make_gpt2_tokenizer((source_tree() / "tests/datasets/fixtures").string());
    const TokenArray tokens = encode_documents(*tokenizer, {{"x", "a"}, {"y", "b"}});
    std::vector<int32_t> ids(static_cast<size_t>(tokens.size()));
    tokens.read(0, ids);
    EXPECT_THAT(ids, ElementsAre(64, 756, 65, 756));
}

}  // namespace
}  // namespace headroom

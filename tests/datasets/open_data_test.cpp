#include "datasets/open_data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "tests/datasets/batches.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

class OpenData : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        return (folder_ / name).string();
    }
    static std::string message_of(const DataConfig& config) {
        try {
            train_batch(*open_data(config, 1), 1, 0, 1, 4);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder_;
};

std::string counting_text(int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(1 + i % 251);
    return text;
}

TEST_F(OpenData, TheVocabularyIsKnownBeforeTheDataWhereTheyDoNotSayIt) {
    const std::string nowhere = (folder_ / "nowhere").string();
    const auto known = [&](const std::string& train, const std::string& tokenizer) {
        return known_vocabulary({train, "text:" + nowhere, tokenizer});
    };
    EXPECT_EQ(known("text:" + nowhere, "byte"), 256);
    EXPECT_EQ(known("text:" + nowhere, "char"), 0) << "the letters of the text";
    EXPECT_EQ(known("tokens:" + nowhere + "?vocab=50257", "byte"), 50257);
    EXPECT_EQ(known("tokens:" + nowhere, "byte"), 0);
    EXPECT_EQ(known("images:" + nowhere, "byte"), 0);
    const std::string task = "task:copy";
    EXPECT_EQ(known(task, "byte"), open_data({task, "split:0.1", "byte"}, 1)->info().vocab_size);
    EXPECT_THROW(known("text:" + nowhere, "json:" + nowhere), UserError);
}

TEST_F(OpenData, NumbersAreNoTextWhateverReadsThem) {
    const std::shared_ptr<const Tokenizer> bytes = make_byte_tokenizer();
    const auto reader_of = [&](const std::string& spec) {
        return open_all_data({spec, spec, "byte"}, 1, bytes).tokenizer;
    };
    EXPECT_EQ(reader_of("task:copy"), nullptr);
    EXPECT_EQ(reader_of("task:grammar"), bytes);
}

// An internal error answered it: no token gave a vocabulary of 0, which was taken for not known.
TEST_F(OpenData, AFileOfNoTokensIsRefused) {
    std::string header(1024, '\0');
    for (const auto& [at, word] : {std::pair<size_t, uint32_t>{0, 20240520}, {4, 1}})
        std::memcpy(header.data() + at, &word, sizeof word);
    const std::string spec = "tokens:" + write("empty.bin", header);
    EXPECT_THAT(message_of({spec, "split:0.1", "byte"}), HasSubstr("holds no tokens"));
    EXPECT_THAT(message_of({spec + "?vocab=10", "split:0.1", "byte"}),
                HasSubstr("holds no tokens"));
}

TEST_F(OpenData, TextTargetsAreTheNextBytes) {
    const std::string text = counting_text(1000);
    const auto source = open_data({"text:" + write("a.txt", text), "split:0.1", "byte"}, 7);
    EXPECT_EQ(source->info().vocab_size, 256);
    const Batch batch = train_batch(*source, 1, 0, 8, 32);
    for (size_t i = 0; i < batch.tokens().size(); ++i) {
        EXPECT_EQ(batch.targets()[i], batch.tokens()[i] % 251 + 1);
        if (i % 32 != 31) {
            EXPECT_EQ(batch.tokens()[i + 1], batch.targets()[i]);
        }
    }
}

TEST_F(OpenData, BatchesArePureInSeedStepAndMicro) {
    const DataConfig config{"text:" + write("a.txt", counting_text(5000)), "split:0.1", "byte"};
    const auto first = open_data(config, 3), again = open_data(config, 3),
               other = open_data(config, 4);
    const Batch batch = train_batch(*first, 5, 1, 4, 16);
    train_batch(*again, 9, 0, 4, 16);  // what was asked before must not matter
    EXPECT_EQ(batch, train_batch(*again, 5, 1, 4, 16));
    EXPECT_NE(batch, train_batch(*first, 6, 1, 4, 16));
    EXPECT_NE(batch, train_batch(*first, 5, 0, 4, 16));
    EXPECT_NE(batch, train_batch(*other, 5, 1, 4, 16));
    EXPECT_EQ(eval_batch(*first, 2, 4, 16), eval_batch(*other, 2, 4, 16));
    EXPECT_NE(eval_batch(*first, 2, 4, 16), eval_batch(*first, 3, 4, 16));
}

TEST_F(OpenData, ThreadsDoNotChangeTheBatches) {
    const auto source = open_data({"task:grammar", "split:0.1", "byte"}, 1);
    std::vector<uint64_t> alone(8), together(8);
    const auto hash = [&](int step) {
        const Batch batch = train_batch(*source, step, 0, 2, 64);
        return batch.hash();
    };
    for (int i = 0; i < 8; ++i) alone[i] = hash(i);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { together[i] = hash(i); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(alone, together);
}

TEST_F(OpenData, SplitIsTheLastPartAndTrainingNeverReachesIt) {
    const std::string text = std::string(900, 'a') + std::string(100, 'b');
    const auto source = open_data({"text:" + write("a.txt", text), "split:0.1", "byte"}, 1);
    for (int step = 1; step <= 200; ++step) {
        const Batch batch = train_batch(*source, step, 0, 4, 16);
        EXPECT_THAT(batch.targets(), testing::Each('a'));
    }
    for (int index = 0; index < 20; ++index) {
        const Batch batch = eval_batch(*source, index, 4, 16);
        EXPECT_THAT(batch.tokens(), testing::Each('b'));
    }
}

TEST_F(OpenData, MixturesHaveTheirSharesOfRows) {
    const std::string a = write("a.txt", std::string(900, 'a') + std::string(100, 'x')),
                      b = write("b.txt", std::string(90, 'b') + std::string(10, 'y'));
    const DataConfig config{"mix:3 text:" + a + "; 1 text:" + b, "split:0.1", "byte"};
    const auto source = open_data(config, 1);
    EXPECT_EQ(source->info().vocab_size, 256);
    EXPECT_THAT(source->info().description, HasSubstr("0.75 of " + a + ": 900 tokens"));
    std::map<int32_t, int> drawn, evaluated;
    for (int step = 1; step <= 500; ++step) {
        const Batch batch = train_batch(*source, step, 0, 8, 4);
        for (int row = 0; row < 8; ++row) ++drawn[batch.tokens()[row * 4]];
    }
    EXPECT_EQ(drawn['a'] + drawn['b'], 4000);
    EXPECT_NEAR(drawn['a'], 3000, 5 * 28);  // five deviations of 4,000 draws
    for (int index = 0; index < 100; ++index) {
        const Batch batch = eval_batch(*source, index, 4, 4);
        for (int row = 0; row < 4; ++row) ++evaluated[batch.tokens()[row * 4]];
    }
    EXPECT_EQ(evaluated['x'] + evaluated['y'], 400);
    EXPECT_NEAR(evaluated['x'], 300, 3);
    const auto other = open_data({"text:" + a, "mix:1 text:" + a + ";1  text:" + b, "byte"}, 1);
    std::set<int32_t> seen;
    for (int index = 0; index < 20; ++index) {
        const Batch batch = eval_batch(*other, index, 1, 4);
        seen.insert(batch.tokens().front());
    }
    EXPECT_TRUE(seen.contains('b'));
}

TEST_F(OpenData, BadMixturesAreRefused) {
    const std::string a = write("a.txt", counting_text(100));
    const auto refused = [&](const std::string& parts, const std::string& tokenizer = "byte") {
        return message_of({"mix:" + parts, "split:0.1", tokenizer});
    };
    EXPECT_THAT(refused("text:" + a), HasSubstr("does not begin with a weight above 0"));
    EXPECT_THAT(refused("0 text:" + a), HasSubstr("a weight above 0"));
    EXPECT_THAT(refused("1 text:" + a + ";"), HasSubstr("a weight above 0"));
    EXPECT_THAT(refused("1 split:0.1"), HasSubstr("cannot be mixed"));
    EXPECT_THAT(refused("1 txt:" + a), HasSubstr("did you mean \"text\""));
    EXPECT_THAT(refused("1 text:" + a, "char"), HasSubstr("from one text"));
}

TEST_F(OpenData, TrainingCoversEveryPosition) {
    const std::string text = counting_text(130);
    const auto source =
        open_data({"text:" + write("a.txt", text), "text:" + write("b.txt", text), "byte"}, 1);
    std::set<int32_t> firsts;
    for (int step = 1; step <= 300; ++step) {
        const Batch batch = train_batch(*source, step, 0, 8, 1);
        firsts.insert(batch.tokens().begin(), batch.tokens().end());
    }
    EXPECT_EQ(firsts.size(), 129u);  // every byte but the last, which has no target
}

TEST_F(OpenData, EvaluationCoversTheDataEvenly) {
    const std::string path = write("a.txt", counting_text(251));
    const auto source = open_data({"text:" + path, "text:" + path, "byte"}, 1);
    std::vector<int32_t> firsts;
    for (int index = 0; index < 10; ++index) {
        const Batch batch = eval_batch(*source, index, 5, 1);
        firsts.insert(firsts.end(), batch.tokens().begin(), batch.tokens().end());
    }
    std::sort(firsts.begin(), firsts.end());
    for (size_t i = 0; i + 1 < firsts.size(); ++i) EXPECT_LE(firsts[i + 1] - firsts[i], 14);
    EXPECT_LE(firsts.front(), 14);
    EXPECT_GE(firsts.back(), 237);
}

TEST_F(OpenData, RefusesBadTextByName) {
    EXPECT_THAT(message_of({"text:/no/such/file", "split:0.1", "byte"}),
                HasSubstr("/no/such/file does not exist"));
    EXPECT_THAT(message_of({"text:" + write("empty.txt", ""), "split:0.1", "byte"}),
                HasSubstr("empty.txt is empty"));
    EXPECT_THAT(
        message_of({"text:" + write("nul.txt", std::string("ab\0cd", 5)), "split:0.5", "byte"}),
        HasSubstr("nul.txt is binary: byte 2 is NUL"));
    EXPECT_THAT(message_of({"text:" + write("short.txt", "abcdefghij"), "split:0.1", "byte"}),
                HasSubstr("has 1 tokens, too few for rows of train.seq_len = 4"));
    EXPECT_THAT(message_of({"text:/dev/zero", "split:0.1", "byte"}), HasSubstr("not a plain file"));
    std::filesystem::create_directories(folder_ / "sub");
    EXPECT_THAT(message_of({"text:" + (folder_ / "sub").string(), "split:0.1", "byte"}),
                HasSubstr("a folder without .txt"));
}

TEST_F(OpenData, TokenFilesAreSplitAndTheirVocabularyIsFound) {
    std::string bytes;
    for (int i = 0; i < 100; ++i) bytes += {static_cast<char>(i), i < 90 ? '\0' : '\1'};
    const std::string spec = "tokens:" + write("t.bin", bytes);
    const auto source = open_data({spec, "split:0.1", "byte"}, 1);
    EXPECT_EQ(source->info().vocab_size, 256 + 100);
    const Batch train = train_batch(*source, 1, 0, 8, 9), val = eval_batch(*source, 0, 8, 9);
    EXPECT_THAT(train.targets(), testing::Each(testing::Lt(90)));
    EXPECT_THAT(val.tokens(), testing::Each(testing::Ge(256 + 90)));
    EXPECT_EQ(open_data({spec + "?vocab=50304", "split:0.1", "byte"}, 1)->info().vocab_size, 50304);
    EXPECT_THAT(message_of({spec + "?vocab=300", "split:0.1", "byte"}), HasSubstr("token 355 in"));
    EXPECT_THAT(message_of({spec + "?vocab=x", "split:0.1", "byte"}), HasSubstr("vocab=x"));
    EXPECT_THAT(message_of({spec + "?size=3", "split:0.1", "byte"}), HasSubstr("size=3"));
}

TEST_F(OpenData, APreparedFileIsReadWithTheTokenizerOfItsManifest) {
    const auto manifest = [&](const std::string& name, const std::string& characters, int tokens) {
        write(name + ".manifest.json",
              R"({"schema": "headroom-tokens/1", "documents": 1, "text_bytes": 20, "tokens": )" +
                  std::to_string(tokens) + R"(, "vocab_size": )" +
                  std::to_string(characters.size()) +
                  R"(, "tokenizer": {"kind": "char", "characters": ")" + characters + "\"}}");
    };
    std::string bytes;
    for (int i = 0; i < 20; ++i) bytes += {static_cast<char>(i % 3), '\0'};
    const std::string spec = "tokens:" + write("t.bin", bytes);
    EXPECT_EQ(open_data({spec, spec, "byte"}, 1)->info().tokenizer_json, "");
    manifest("t.bin", "abcd", 20);
    const std::string text = "text:" + write("val.txt", "dcbabcd");
    const auto source = open_data({spec, text, "byte"}, 1);
    EXPECT_EQ(source->info().tokenizer_json, R"({"characters":"abcd","kind":"char"})");
    const Batch last = eval_batch(*source, 0, 1, 5);
    EXPECT_THAT(last.tokens(), testing::ElementsAre(3, 2, 1, 0, 1));
    const auto same = open_data({spec, spec, "byte"}, 1);
    EXPECT_EQ(same->info().vocab_size, 4) << "as the text itself would have";
    EXPECT_EQ(same->info().needed_vocab_size(), 3) << "a run of so many goes on";
    EXPECT_EQ(open_data({"mix:1 " + spec, "split:0.4", "byte"}, 1)->info().needed_vocab_size(), 3);
    EXPECT_EQ(open_data({spec, text, "byte"}, 1)->info().needed_vocab_size(), 4);
    const std::string other = "tokens:" + write("u.bin", bytes);
    manifest("u.bin", "abcde", 20);
    EXPECT_THAT(message_of({spec, other, "byte"}),
                HasSubstr("u.bin was prepared with the tokenizer char of 5 tokens, not with char"));
    manifest("u.bin", "abce", 20);
    EXPECT_THAT(message_of({spec, other, "byte"}),
                HasSubstr("u.bin was prepared with the tokenizer char, whose tokens are other text "
                          "than those of char; give"));
    EXPECT_THAT(message_of({"mix:1 " + spec + "; 1 " + other, "split:0.4", "byte"}),
                HasSubstr("whose tokens are other text"));
    manifest("t.bin", "abcd", 21);
    EXPECT_THAT(message_of({spec, spec, "byte"}),
                HasSubstr("t.bin.manifest.json is of another file: it has 20 tokens"));
    write("t.bin.manifest.json", R"({"schema": "headroom-tokens/2", "tokens": 20})");
    EXPECT_THAT(message_of({spec, spec, "byte"}), HasSubstr("is no headroom-tokens/1; prepare"));
}

TEST_F(OpenData, ValidationAmongTheTrainingFilesIsSaid) {
    const std::string file = write("a.txt", "abcdefghabcdefgh");
    write("b.txt", "abcdefghabcdefgh");
    const std::string folder = std::filesystem::path(file).parent_path().string();
    const auto problem = [](const std::string& train, const std::string& val) {
        return open_all_data({train, val, "byte"}, 1).problem;
    };
    EXPECT_THAT(problem("text:" + folder, "text:" + file),
                HasSubstr("is among the files of data.train"));
    EXPECT_THAT(problem("text:" + file, "text:" + folder + "/./a.txt"), HasSubstr("is among"));
    EXPECT_EQ(problem("text:" + file, "text:" + folder + "/b.txt"), "");
    EXPECT_EQ(problem("text:" + file, "split:0.5"), "");
    EXPECT_EQ(problem("task:grammar", "task:grammar"), "");
}

TEST_F(OpenData, ValidationTextUsesTheTrainingVocabulary) {
    const std::string train = "text:" + write("a.txt", "abcdefgh");
    const auto source = open_data({train, "text:" + write("b.txt", "hgfedc"), "char"}, 1);
    EXPECT_EQ(source->info().vocab_size, 8);
    EXPECT_EQ(source->info().tokenizer_json, R"({"characters":"abcdefgh","kind":"char"})");
    const Batch last = eval_batch(*source, 0, 1, 5);
    EXPECT_THAT(last.tokens(), testing::ElementsAre(7, 6, 5, 4, 3));
    EXPECT_THAT(message_of({train, "text:" + write("b.txt", "hgfxyz"), "char"}),
                HasSubstr("U+0078 \"x\""));
    EXPECT_THAT(message_of({"text:" + write("c.txt", "abc\xff"), "split:0.5", "char"}),
                HasSubstr("c.txt is not UTF-8: see byte 3"));
}

TEST_F(OpenData, RefusesBadSpecs) {
    EXPECT_THAT(message_of({"txt:a", "split:0.1", "byte"}), HasSubstr("did you mean \"text\"?"));
    EXPECT_THAT(message_of({"task:gramar", "split:0.1", "byte"}),
                HasSubstr("did you mean \"grammar\"?"));
    EXPECT_THAT(message_of({"task:grammar?x=1", "split:0.1", "byte"}),
                HasSubstr("has no option \"x\""));
    EXPECT_THAT(message_of({"task:grammar", "split:1.5", "byte"}), HasSubstr("split:1.5"));
    EXPECT_THAT(message_of({"split:0.1", "split:0.1", "byte"}), HasSubstr("only for data.val"));
    EXPECT_THAT(message_of({"text:" + write("a.txt", counting_text(99)), "split:0.5", "bite"}),
                HasSubstr("did you mean \"byte\"?"));
}

}  // namespace
}  // namespace headroom

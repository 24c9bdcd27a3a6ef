#include "tests/fuzz/fuzz_targets.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/data/data_card.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/config/job_json.h"
#include "core/decode/generation_event.h"
#include "core/log/array_file.h"
#include "core/log/interop/text_logs.h"
#include "core/log/interop/tfevents.h"
#include "core/log/interop/wandb_file.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/study/study.h"
#include "core/study/study_labels.h"
#include "core/weights/checkpoint_weights.h"
#include "datasets/evaluations/evaluation_task.h"
#include "datasets/formats/token_file.h"
#include "datasets/images/cifar.h"
#include "datasets/images/decode_picture.h"
#include "datasets/images/resample.h"
#include "datasets/source_sets.h"
#include "datasets/text/line_reader.h"
#include "datasets/tokenizers/tokenizer.h"
#include "tests/core/log/interop/framed_logs.h"
#include "tests/core/log/log_rows.h"
#include "tests/core/weights/interop/foreign_files.h"
#include "tests/fuzz/studio_targets.h"
#include "tests/support/places.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// The one file that readers of files read, anew for each input.
template <class Read>
auto as_file(const std::string& name, Read read) {
    return [folder = std::make_shared<TemporaryFolder>(), name, read](const std::string& input) {
        write_plainly(*folder / name, input);
        read(fs::path(*folder / name));
    };
}

/// What a function writes into a file.
template <class Write>
std::string bytes_of(Write write) {
    const TemporaryFolder folder;
    write(fs::path(folder / "file"));
    return read_text(folder / "file");
}

FuzzTarget json_target() {
    return {"json",
            {R"({"a": [1, -2.5e3, "\u00e9", null, true], "b": {"c": {}}})"},
            mutate_bytes,
            [](const std::string& input) {
                const nlohmann::json document = parse_json(input, "the input");
                (void)parse_json(dump_text(document), "its text");
                (void)shown(document);
            }};
}

FuzzTarget printable_target() {
    return {
        "printable", {"plain \x1b[31m \xE2\x82\xAC"}, mutate_bytes, [](const std::string& input) {
            const std::string text = printable(input, 100);
            CHECK(printable(text) == text && text.size() <= 100, "stays as it is");
            (void)nlohmann::json(text).dump();  // throws for what is no UTF-8
        }};
}

FuzzTarget job_target() {
    const Job job = parse_job(nlohmann::json::parse(R"({"model": {"preset": "tiny"},
        "data": {"train": "task:grammar"}})"),
                              "");
    const Job images =
        parse_job(nlohmann::json::parse(
                      R"({"model": {"preset": "vit-tiny"}, "data": {"train": "images:a"}})"),
                  "");
    return {"job",
            {to_json(job).dump(), to_json(images).dump()},
            mutate_json,
            [](const std::string& input) {
                const Job read = parse_job(parse_json(input, "the job"), "the job");
                CHECK(parse_job(to_json(read), "again") == read, "a job survives being written");
            }};
}

FuzzTarget labels_target() {
    return {"labels",
            {R"({"schema": "headroom-labels/1", "runs": {"a": {"color": 2, "name": "first",
                 "tags": ["x", "y"], "note": "**kept**"}, "b": {}}})"},
            mutate_json,
            as_file("labels.json",
                    [](const fs::path& path) { (void)read_labels(path.parent_path()); })};
}

FuzzTarget generation_target() {
    const TokenChoice choice{5, "a", 0.5};
    return {"generation",
            {to_line(GenerationStart{3, 8, 1024, 64, "float32"}), to_line(PromptRead{0.5}),
             to_line(GeneratedToken{choice, "a", {choice}, 0.25}),
             to_line(GenerationEnd{"length", "", 8, 20.0})},
            mutate_json,
            [](const std::string& line) {
                const GenerationEvent event = parse_generation_event(line);
                CHECK(parse_generation_event(to_line(event)).index() == event.index(), "a kind");
            }};
}

FuzzTarget study_target() {
    return {"study", {}, mutate_json, [](const std::string& input) {
                parse_study(parse_json(input, "the study"), "the study");
            }};
}

FuzzTarget tokenizer_target() {
    return {"tokenizer", {R"({"kind": "byte"})"}, mutate_json, [](const std::string& input) {
                tokenizer_from_json(parse_json(input, "it"));
            }};
}

/// A text that touches every step, through a tokenizer and back.
void use(const Tokenizer& tokenizer) {
    const std::string text =
        "a the  king's 12\n\u00e9e\u0301 \u6f22\u5b57<s>\U0001f642\u2581x</s> ";
    for (const std::vector<int32_t>& ids :
         {tokenizer.encode(text), tokenizer.encode_special(text), tokenizer.tokens_before()}) {
        for (const int32_t id : ids) CHECK(id >= 0 && id < tokenizer.vocab_size(), "an id");
        (void)tokenizer.decode_text(ids);
    }
}

std::string fixture(const char* name) {
    return read_text(source_tree() / "tests/datasets/fixtures" / name);
}

FuzzTarget tokenizer_json_target() {
    return {"tokenizer_json",
            {fixture("tokenizer.json"), fixture("llama.json"), fixture("t5.json")},
            mutate_json,
            as_file("tokenizer.json", [](const fs::path& path) {
                use(*open_tokenizer("json:" + path.string(), ""));
            })};
}

FuzzTarget sentencepiece_target() {
    return {"sentencepiece",
            {fixture("unigram.model"), fixture("bpe.model")},
            mutate_bytes,
            as_file("tokenizer.model",
                    [](const fs::path& path) { use(*open_tokenizer("sp:" + path.string(), "")); })};
}

FuzzTarget evaluation_target() {
    return {
        "evaluation",
        {R"({"activity_label": "a", "ctx_a": "b [x]", "ctx_b": "c", "endings": ["d"], "label": 0})",
         R"({"question": "q", "choices": {"text": ["a"], "label": ["A"]}, "answerKey": "A"})",
         R"({"question": {"stem": "q", "choices": [{"text": "a", "label": "A"}]}, "answerKey": "A"})",
         R"({"goal": "g", "sol1": "x", "sol2": "y", "label": 0, "text": "a b"})",
         R"({"sentence": "a _ b", "option1": "x", "option2": "y", "answer": "1"})"},
        mutate_json,
        as_file("items.jsonl", [](const fs::path& path) {
            const auto bytes = make_byte_tokenizer();
            int taken = 0;
            for (const EvaluationTask& task : evaluation_tasks()) {
                if (!task.needs_file()) continue;
                try {
                    const auto items = read_evaluation(task, path.string(), 0);
                    const EvaluationItem::Choice& first = items.at(0).choices.at(0);
                    (void)encode_pair(*bytes, first.context, first.continuation);
                    ++taken;
                } catch (const UserError&) {
                    continue;
                }
            }
            if (taken == 0) throw UserError("no task takes it", "give a task's own JSONL");
        })};
}

FuzzTarget sources_target() {
    return {"sources",
            {read_text(source_tree() / "resources/data/sources.json")},
            mutate_json,
            as_file("sources.json", [](const fs::path& path) {
                for (const SourceSet& set : load_source_sets(path))
                    for (const SourceFile& file : set.files)
                        CHECK(file.name.find('/') == std::string::npos &&
                                  file.gives.find('/') == std::string::npos,
                              "names stay in their folder");
            })};
}

FuzzTarget picture_target() {
    return {
        "picture",
        {fixture("gradient.png"), fixture("gradient.jpg"), fixture("grey.png")},
        mutate_bytes,
        as_file("picture.png", [](const fs::path& path) {
            const Picture picture = decode_picture(path);
            CHECK(static_cast<int64_t>(picture.pixels.size()) == 3 * picture.width * picture.height,
                  "as many bytes as pixels have");
            (void)fit_square(picture, 5);
        })};
}

/// Two records, with labels 3 and 7.
FuzzTarget cifar_target() {
    std::string records(2 * 3073, '\x55');
    records[0] = 3;
    records[3073] = 7;
    return {"cifar", {records}, mutate_bytes, as_file("test_batch.bin", [](const fs::path& path) {
                const auto pictures = open_cifar(path, PicturePart::kTest);
                for (int64_t i = 0; i < pictures->size(); ++i) {
                    CHECK(pictures->label(i) >= 0 && pictures->label(i) < 10, "a class");
                    CHECK(pictures->read(i).pixels.size() == 3072, "a whole picture");
                }
            })};
}

FuzzTarget lines_target() {
    // gzip of three times {"text": "a"}, an empty line and {"text": "b"}
    constexpr char kPacked[] =
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x2a\x49\xad\x28\x51\xb2\x52\x50"
        "\x4a\x54\xaa\xe5\xe2\xaa\x86\x73\x93\x80\xdc\x6a\xb2\x25\x01\x1b\xd0\xfb\xbb\x57"
        "\x00\x00\x00";
    // the same as a frame of Zstandard
    constexpr char kFrame[] =
        "\x28\xb5\x2f\xfd\x00\x58\xd5\x00\x00\x88\x7b\x22\x74\x65\x78\x74\x22\x3a\x20\x22"
        "\x61\x22\x7d\x0a\x62\x22\x7d\x02\x00\x40\x19\x40\x30\x53\x09";
    return {"lines",
            {std::string(kPacked, sizeof kPacked - 1), std::string(kFrame, sizeof kFrame - 1),
             "a\n\r\nb"},
            mutate_bytes,
            as_file("lines", [](const fs::path& path) {
                LineReader lines(path.string());
                std::string line;
                int64_t offset = 0;
                while (lines.next(line)) {
                    offset += static_cast<int64_t>(line.size());
                    CHECK(lines.offset() >= offset, "offsets grow with the lines");
                }
                LineReader(path.string()).seek(lines.offset() / 2);
            })};
}

/// Beside a manifest and without one.
FuzzTarget tokens_target() {
    std::string llmc = token_file_header(TokenFormat::kLlmc16, 3);
    llmc += std::string("\x01\0\x02\0\x03\0", 6);
    std::string wide = token_file_header(TokenFormat::kLlmc32, 1);
    wide += std::string("\xff\xff\xff\x7f", 4);
    return {"tokens",
            {llmc, wide, std::string("\x01\0\x50\xc4\xff\xff", 6)},
            mutate_bytes,
            as_file("t.bin", [](const fs::path& path) {
                const TokenArray tokens = open_token_file(path).tokens;
                std::vector<int32_t> ids(static_cast<size_t>(tokens.size()));
                tokens.read(0, ids);
                for (const int32_t id : ids) CHECK(id <= tokens.largest_id(), "an id");
                (void)read_data_card("tokens:" + path.string());
            })};
}

FuzzTarget manifest_target() {
    const fs::path kept = source_tree() / "tests/kept/0.1.0/tokens";
    const auto folder = std::make_shared<TemporaryFolder>();
    fs::copy(kept / "text.bin", *folder / "text.bin");
    return {"manifest",
            {read_text(kept / "text.bin.manifest.json")},
            mutate_json,
            [folder](const std::string& input) {
                write_plainly(*folder / "text.bin.manifest.json", input);
                (void)read_data_card("tokens:" + fs::path(*folder / "text.bin").string());
            }};
}

/// The index of a checkpoint in two shards; their files stay whole.
FuzzTarget index_target() {
    const auto folder = std::make_shared<TemporaryFolder>();
    FakeTensors first, second;
    std::string index = R"({"metadata": {"total_size": 1}, "weight_map": {)";
    for (const auto& [name, tensor] : fake_llama(false)) {
        const bool in_second = first.size() > 9;
        (in_second ? second : first)[name] = tensor;
        index += fmt::format(R"({}"{}": "{}.safetensors")", first.size() == 1 ? "" : ", ", name,
                             in_second ? "b" : "a");
    }
    write_fakes(*folder / "a.safetensors", first);
    write_fakes(*folder / "b.safetensors", second);
    write_plainly(*folder / "config.json", kFakeLlamaConfig);
    return {"index", {index + "}}"}, mutate_json, [folder](const std::string& input) {
                write_plainly(*folder / "model.safetensors.index.json", input);
                const CheckpointWeights weights = CheckpointWeights::open(folder->path());
                for (const ParameterSpec& spec : weights.specs()) weights.read<float>(spec.name);
            }};
}

FuzzTarget safetensors_target() {
    const std::string seed = bytes_of([](const fs::path& path) {
        write_random_checkpoint(
            path,
            {{"n_layer", 1}, {"d_model", 4}, {"d_ff", 4}, {"vocab_size", 5}, {"block_size", 4}});
    });
    return {
        "safetensors", {seed}, mutate_bytes, as_file("model.safetensors", [](const fs::path& path) {
            const Checkpoint checkpoint = Checkpoint::open(path);
            (void)parse_model_config(parse_json(checkpoint.metadata.config_json, "it"), "it");
            for (const std::string& name : checkpoint.file.names())
                (void)checkpoint.file.read_as<double>(name);
        })};
}

FuzzTarget log_target() {
    const std::string seed = bytes_of([](const fs::path& path) {
        auto log = RunLogWriter::create(path, attributes_for_test());
        append_steps(log, 1, 50);
        log.close();
    });
    return {"log", {seed}, mutate_hdf5, as_file("log.h5", [](const fs::path& path) {
                (void)RunLogReader::open(path).tail();
                (void)read_run_log(path);
            })};
}

FuzzTarget arrays_target() {
    const std::string seed = bytes_of([](const fs::path& path) {
        ArrayFileWriter file(path);
        file.attribute("schema", "headroom-probe/1");
        for (const char* name : {"/a/x", "/a/y", "/b/c/z"})
            file.add<float>(name, {2, 3}, std::vector<float>(6, 1.0F), "nats");
        file.create({"/big", DType::kF64, {64, 64}, {16, 16}});
        file.commit();
    });
    return {"arrays", {seed}, mutate_hdf5, as_file("probe.h5", [](const fs::path& path) {
                const ArrayFile file(path);
                (void)file.attribute("schema");
                for (const std::string group : {"/a", "/b/c"})
                    for (const std::string& name : file.names(group))
                        (void)file.read_all<double>(group + "/" + name, 1 << 16);
                (void)file.read_all<float>("/big", 1 << 16);
            })};
}

FuzzTarget events_target() {
    return {
        "events", {event_with("train/loss", 3, 2.5f)}, mutate_bytes, [](const std::string& event) {
            ForeignLog log;
            read_tfevents(tensorboard_file({event, event}), "it", log);
        }};
}

/// Every second input is a file, every other one a record of it.
FuzzTarget wandb_target() {
    const std::string record = history_record(3, {{"train/loss", "2.5"}, {"a.b", "NaN"}});
    return {
        "wandb", {record, wandb_file({record, record})}, mutate_bytes, [](const std::string& it) {
            (void)read_wandb_file(is_wandb_file(it) ? it : wandb_file({it, it}), "it");
        }};
}

FuzzTarget text_logs_target() {
    return {"text_logs",
            {"step 0: train loss 10.9, val loss 10.95\niter 0: loss 10.98, time 41.1ms\n",
             "s:1 tel:11.0\ns:1 trl:10.9 lr:8e-07 norm:15.3\n", "step:1/5 val_loss:6.6\n",
             "step,_timestamp,\"a,b\"\n1,2,3\n", "{\"_step\": 4, \"loss\": 3.5}\n"},
            mutate_bytes,
            [](const std::string& text) {
                if (const auto format = recognise_text_log(text)) (void)format->read(text);
            }};
}

}  // namespace

std::vector<FuzzTarget> fuzz_targets() {
    std::vector<FuzzTarget> targets = {
        json_target(),           printable_target(),     job_target(),
        study_target(),          labels_target(),        tokenizer_target(),
        tokenizer_json_target(), sentencepiece_target(), evaluation_target(),
        sources_target(),        picture_target(),       cifar_target(),
        lines_target(),          tokens_target(),        manifest_target(),
        index_target(),          safetensors_target(),   log_target(),
        arrays_target(),         events_target(),        wandb_target(),
        text_logs_target(),      generation_target()};
    for (FuzzTarget& target : studio_targets()) targets.push_back(std::move(target));
    return targets;
}

}  // namespace headroom

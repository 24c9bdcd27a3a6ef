#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/probe_input.h"
#include "app/progress_line.h"
#include "app/progress_stream.h"
#include "app/score_tasks.h"
#include "app/token_text.h"
#include "core/base/json_text.h"
#include "core/log/array_file.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/probe_file.h"
#include "core/probe/probe_kind.h"
#include "core/train/initial_weights.h"

namespace headroom {
namespace {

/// What one kind is told on the command line.
struct ProbeArguments {
    const ProbeKind& kind;
    ProbeOptions common;
    GivenProbeValues given;
};

/// Tells how far a probe is: on a terminal by a line that counts up, or as a stream.
class ProbeProgress {
  public:
    explicit ProbeProgress(bool stream) : stream_(stream) {}

    void show(double share) { stream_ ? lines_.tell(share) : line_.show(share); }
    void clear() { line_.clear(); }

  private:
    bool stream_;
    ProgressStream lines_;
    ProgressLine line_;
};

ProbeTask task_of(const ProbeInput& input, const ProbeValues& values, ProbeProgress& line) {
    ProbeTask task{.weights = input.weights,
                   .tokens = input.tokens,
                   .pass_rows = input.pass_rows,
                   .precision = input.precision,
                   .options = values,
                   .device = *input.device,
                   .job = input.job,
                   .data = input.data.batches.get(),
                   .out = input.out};
    if (input.images) task.images = &*input.images;
    task.progress = [&line](double share) { line.show(share); };
    if (input.tokenizer != nullptr)
        task.token_text = [tokenizer = input.tokenizer](int32_t id) {
            return token_text(*tokenizer, id);
        };
    task.open_weights = [](const std::string& name) {
        return std::make_shared<const CheckpointWeights>(open_probe_weights(name));
    };
    task.convert = converted_weights;
    task.score_tasks = task_scorer(input.tokenizer, input.precision, *input.device);
    return task;
}

void write(const ProbeInput& input, const ProbeFindings& findings) {
    ArrayFileWriter file(input.out, kProbeFiles);
    write_probe_header(file, input.header);
    if (!input.tokens.ids.empty()) write_probe_tokens(file, input.tokens);
    findings.write(file);
    file.commit();
}

/// What a probe was measured on and, of linear ones, how they were trained; "" of no probe.
std::string made_from(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return "";
    try {
        const ArrayFile file(path);
        std::string text = describe_tokens(file);
        if (read_probe_header(file).kind == "linear")
            text += ", " + describe_probe_training(read_linear_probe(file));
        return text;
    } catch (const std::exception&) {
        return "";  // nothing of value
    }
}

/// That numbers made otherwise were replaced, which a figure may have had beside those of other
/// runs; "" where none were.
std::string note_of_replaced(const std::filesystem::path& path, const std::string& before) {
    const std::string now = made_from(path);
    if (before.empty() || before == now) return "";
    return fmt::format("note: {} was measured on {}; now on {} (--out FILE.h5 keeps both)\n",
                       path.string(), before, now);
}

/// What every probe's JSON document begins with.
nlohmann::ordered_json document_of(const ProbeInput& input) {
    return {{"out", input.out.string()},
            {"checkpoint", input.header.checkpoint},
            {"step", input.header.step},
            {"sequences", input.sequences},
            {"seq_len", input.tokens.seq_len}};
}

/// The file, and on how much it was measured.
void print_end(const ProbeInput& input) {
    const int64_t sequences = input.sequences;
    if (input.tokens.ids.empty() && sequences == 0) {
        eprint("{}\n", input.out.string());
        return;
    }
    eprint("{}: {} of {} tokens\n", input.out.string(),
           sequences == 1 ? "1 sequence" : fmt::format("{} sequences", sequences),
           input.tokens.seq_len);
}

void run_probe(const ProbeArguments& arguments) {
    const ProbeSchema& schema = arguments.kind.schema;
    ProbeOptions options = arguments.common;
    if (options.train_batch_size > 0) options.eval.batch_size = options.train_batch_size;
    const ProbeInput input = open_probe_input(schema, options);
    const ProbeValues values = arguments.given.values(schema);
    ProbeProgress line(options.stream);
    const ProbeTask task = task_of(input, values, line);
    const ProbeFindings findings = arguments.kind.measure(task);
    const std::string before = made_from(input.out);
    write(input, findings);
    line.clear();
    eprint("{}", note_of_replaced(input.out, before));
    if (options.json || options.stream) {
        nlohmann::ordered_json document = document_of(input);
        findings.report(document);
        if (options.stream)
            ProgressStream::finish(std::move(document));
        else
            fmt::print("{}\n", dump_text(document, 2));
        return;
    }
    fmt::print("{}", findings.table());
    print_end(input);
}

}  // namespace

/// `headroom probe KIND …`: looks inside a checkpoint, into an HDF5 file.
void add_probe_command(CLI::App& app) {
    CLI::App* probe = app.add_subcommand(
        "probe", "Look inside a checkpoint: measures of heads and layers, into an HDF5 file");
    probe->require_subcommand(1);
    for (const ProbeKind& kind : probe_kinds()) {
        CLI::App* command = probe->add_subcommand(kind.schema.kind, kind.schema.help);
        if (!kind.schema.old_kind.empty()) command->alias(kind.schema.old_kind);
        const auto arguments = std::make_shared<ProbeArguments>(
            ProbeArguments{kind, ProbeOptions{}, GivenProbeValues{}});
        add_probe_options(*command, kind.schema, arguments->common);
        add_kind_options(*command, kind.schema, arguments->given);
        command->callback([arguments] { run_probe(*arguments); });
    }
}

}  // namespace headroom

#include "app/commands/data_fetch_command.h"

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data/fetch_data.h"
#include "app/eprint.h"
#include "app/stop_signals.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "datasets/source_sets.h"

namespace headroom {
namespace {

volatile std::sig_atomic_t g_fetch_stopped = 0;

/// Notes the stop signals for as long as it lives; then they do what they did before.
class NotedStops {
  public:
    NotedStops() {
        g_fetch_stopped = 0;
        for (const int signal : stop_signals())
            before_.emplace_back(signal, std::signal(signal, [](int) { g_fetch_stopped = 1; }));
    }
    ~NotedStops() {
        for (const auto& [signal, handler] : before_) std::signal(signal, handler);
    }
    NotedStops(const NotedStops&) = delete;
    NotedStops& operator=(const NotedStops&) = delete;

  private:
    std::vector<std::pair<int, void (*)(int)>> before_;
};

struct FetchArguments {
    std::string name, out, sources;
    bool json = false;
};

std::string size_text(const SourceSet& set) {
    return set.bytes() == 0 ? "" : fmt::format("{:.1f} MB", static_cast<double>(set.bytes()) / 1e6);
}

void print_sets(const std::vector<SourceSet>& sets) {
    for (const SourceSet& set : sets)
        fmt::print("{:<12} {:>10}  {}; licence: {}\n", set.name, size_text(set), set.summary,
                   set.licence);
    fmt::print("\nheadroom data fetch NAME loads one, where a network allows it.\n");
}

void print_sets_json(const std::vector<SourceSet>& sets) {
    nlohmann::ordered_json document{{"sources", nlohmann::ordered_json::array()}};
    for (const SourceSet& set : sets) {
        nlohmann::ordered_json files = nlohmann::ordered_json::array();
        for (const SourceFile& file : set.files)
            files.push_back({{"name", file.name},
                             {"url", file.url},
                             {"bytes", file.bytes},
                             {"sha256", file.sha256}});
        document["sources"].push_back({{"name", set.name},
                                       {"summary", set.summary},
                                       {"page", set.page},
                                       {"licence", set.licence},
                                       {"files", std::move(files)}});
    }
    fmt::print("{}\n", dump_text(document, 2));
}

const SourceSet& find_set(const std::vector<SourceSet>& sets, const std::string& name) {
    std::vector<std::string> names;
    for (const SourceSet& set : sets) {
        if (set.name == name) return set;
        names.push_back(set.name);
    }
    throw UserError(fmt::format("no data set is called \"{}\"{}", name, suggestion(name, names)),
                    "headroom data fetch lists them");
}

void print_use(const SourceSet& set, const std::string& folder) {
    fmt::print("{}\n", folder);
    if (!set.use.empty()) fmt::print("\nto go on:\n");
    constexpr std::string_view kFolder = "{folder}";
    for (std::string command : set.use) {
        for (size_t at = command.find(kFolder); at != std::string::npos;
             at = command.find(kFolder, at + folder.size()))  // the folder may be called so
            command.replace(at, kFolder.size(), folder);
        fmt::print("  {}\n", command);
    }
}

void fetch(const FetchArguments& arguments) {
    const std::vector<SourceSet> sets = load_source_sets(
        arguments.sources.empty() ? source_sets_file() : std::filesystem::path(arguments.sources));
    if (arguments.name.empty()) return arguments.json ? print_sets_json(sets) : print_sets(sets);
    const SourceSet& set = find_set(sets, arguments.name);
    const std::string folder = arguments.out.empty() ? "data/" + set.name : arguments.out;
    {
        const NotedStops stops;
        fetch_data(set, folder,
                   {[](const std::string& line) { eprint("{}\n", line); },
                    [] { return g_fetch_stopped != 0; }});
    }
    print_use(set, folder);
}

}  // namespace

void add_data_fetch(CLI::App& data) {
    CLI::App* command =
        data.add_subcommand("fetch", "List the field's data sets, or load one of them");
    const auto arguments = std::make_shared<FetchArguments>();
    command->add_option("NAME", arguments->name, "Data set; none: list them");
    command->add_option("--out", arguments->out, "Folder; data/NAME unless told otherwise");
    command->add_option("--sources", arguments->sources,
                        "Another list of data sets, like resources/data/sources.json");
    command->add_flag("--json", arguments->json, "Print the list as one JSON document");
    command->callback([arguments] { fetch(*arguments); });
}

}  // namespace headroom

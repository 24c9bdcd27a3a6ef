#include "app/describe/memory_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/describe/describe_text.h"
#include "core/base/digits.h"

namespace headroom {
namespace {

/// A column that is only there once something was measured.
std::string measured_column(const MemoryReport& report, int64_t bytes) {
    return report.measured ? fmt::format(" {:>17}", grouped_digits(bytes)) : "";
}

std::string heading_text(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

void print_headings(const MemoryReport& report) {
    fmt::print("  {:<18} {:>17}{}\n", "bytes", "predicted",
               report.measured ? fmt::format(" {:>17}", "measured") : "");
    for (const auto& [name, heading] : kMemoryHeadings) {
        const int64_t bytes = report.predicted.*heading;
        const int64_t held = report.measured ? report.measured->held.*heading : 0;
        if (bytes == 0 && held == 0) continue;
        fmt::print("  {:<18} {:>17}{}{}\n", heading_text(name), grouped_digits(bytes),
                   measured_column(report, held),
                   name == "total" ? ""
                                   : fmt::format(" {:>6.1f} %",
                                                 100.0 * static_cast<double>(bytes) /
                                                     static_cast<double>(report.predicted.total)));
    }
    if (report.largest_probe > 0)
        fmt::print("  {:<18} {:>17}{} more while it is made\n", "largest probe",
                   grouped_digits(report.largest_probe),
                   report.measured ? fmt::format(" {:>17}", "") : "");
    if (report.measured && report.measured->resident_growth > 0)
        fmt::print("  {:<18} {:>17}{}\n", "growth in RAM", "",
                   measured_column(report, report.measured->resident_growth));
}

/// Who reads a buffer: "itself", "itself and layers 1-5".
std::string readers_text(const CacheBuffer& buffer) {
    std::vector<int64_t> others;
    for (const int reader : buffer.readers)
        if (reader != buffer.layer) others.push_back(reader);
    const bool own = others.size() < buffer.readers.size();
    if (others.empty()) return "itself";
    return fmt::format("{}layer{} {}", own ? "itself and " : "", others.size() > 1 ? "s" : "",
                       number_ranges(others));
}

void print_cache(const MemoryReport& report) {
    if (report.cache.empty()) return;
    int64_t numbers = 0;
    for (const CacheBuffer& buffer : report.cache) numbers += buffer.numbers_per_token();
    fmt::print("\n  cache of {} bytes per token\n  {:>5} {:<10} {:>6} {:>6} {:>17}{}  {}\n",
               grouped_digits(numbers * static_cast<int64_t>(size_of(report.request.precision))),
               "layer", "kind", "heads", "width", "predicted",
               report.measured ? fmt::format(" {:>17}", "measured") : "", "read by");
    for (size_t i = 0; i < report.cache.size(); ++i) {
        const CacheBuffer& buffer = report.cache[i];
        fmt::print("  {:>5} {:<10} {:>6} {:>6} {:>17}{}  {}\n", buffer.layer, name_of(buffer.kind),
                   buffer.heads, buffer.width, grouped_digits(report.cache_bytes(buffer)),
                   measured_column(report, report.measured ? report.measured->cache[i] : 0),
                   readers_text(buffer));
    }
}

}  // namespace

void print_memory(const std::string& title, const MemoryReport& report) {
    const MemoryRequest& request = report.request;
    fmt::print("{}: {}, {}{}, batch {}, context {}\n", title, name_of(request.use),
               name_of(request.precision), weights_note(request.precision), request.batch_size,
               grouped_digits(request.context));
    print_headings(report);
    print_cache(report);
    fmt::print("\n");
}

}  // namespace headroom

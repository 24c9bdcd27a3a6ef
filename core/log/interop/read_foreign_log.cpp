#include "core/log/interop/read_foreign_log.h"

#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/interop/text_logs.h"
#include "core/log/interop/tfevents.h"

namespace headroom {

ForeignLog read_foreign_log(const std::filesystem::path& source, const std::string& format) {
    std::error_code ignored;
    if (std::filesystem::is_directory(source, ignored)) return read_tensorboard_folder(source);
    const std::string text = read_text(source);
    const bool is_event_file = source.filename().string().find("tfevents") != std::string::npos;
    if (format == "tensorboard" || (format == "auto" && is_event_file)) {
        ForeignLog log;
        read_tfevents(text, source.string(), log);
        return log;
    }
    if (format == "auto") {
        if (const auto found = recognise_text_log(text)) return found->read(text);
        throw UserError(source.string() + " is no log that is known here",
                        "give a folder or event file of TensorBoard, a log of nanoGPT, llm.c or "
                        "modded-nanogpt, a CSV table or JSON lines");
    }
    for (const TextLogFormat& known : text_log_formats())
        if (known.name == format) return known.read(text);
    throw UserError(format + " is no format of logs",
                    "leave it out, so that the file is looked at");
}

}  // namespace headroom

#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom data encode` and `headroom data decode`: text to token ids and back.
void add_text_token_commands(CLI::App& data);

}  // namespace headroom

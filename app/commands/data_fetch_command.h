#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom data fetch [NAME]`: the field's data sets, and one of them loaded.
void add_data_fetch(CLI::App& data);

}  // namespace headroom

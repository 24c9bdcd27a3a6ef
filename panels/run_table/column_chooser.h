#pragma once

#include <optional>
#include <string>
#include <vector>

class QWidget;

namespace headroom {

/// Lets a person choose among `all` columns, `shown` of which are there now. The chosen ones keep
/// their order, new ones follow; an empty list means the usual columns. None where the person gave
/// up.
std::optional<std::vector<std::string>> ask_columns(QWidget* parent,
                                                    const std::vector<std::string>& all,
                                                    const std::vector<std::string>& shown);

}  // namespace headroom

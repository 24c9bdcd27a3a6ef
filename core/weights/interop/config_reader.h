#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// What to do about a model of which a part is not known here.
constexpr char kUseAnother[] = "headroom cannot compute it; take a model without it";

/// Reads the config.json of another tool. A key that is missing or null gives nothing; one of the
/// wrong type is a UserError that names the file and the key.
class ConfigReader {
  public:
    /// `source` names the document in messages. UserError if it is not an object.
    ConfigReader(const nlohmann::json& document, std::string source);
    ~ConfigReader();
    ConfigReader(ConfigReader&&) noexcept;

    bool has(const std::string& key) const;
    std::optional<int64_t> whole(const std::string& key) const;
    std::optional<double> number(const std::string& key) const;
    std::optional<bool> flag(const std::string& key) const;
    std::optional<std::string> text(const std::string& key) const;
    /// An object inside; an empty one if there is none.
    ConfigReader section(const std::string& key) const;
    const nlohmann::json& document() const { return *document_; }
    const std::string& source() const { return source_; }

    /// UserError: "SOURCE: KEY = VALUE WHY; HOW TO MEND".
    [[noreturn]] void refuse(const std::string& key, const std::string& why,
                             const std::string& how_to_mend) const;

  private:
    const nlohmann::json* find(const std::string& key) const;

    std::unique_ptr<nlohmann::json> document_;
    std::string source_;
};

}  // namespace headroom

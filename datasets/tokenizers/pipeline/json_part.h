#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// An object within a tokenizer.json, read key by key. Keys that are null count as absent.
class JsonPart {
  public:
    /// `where` names it in messages: the file, then keys.
    JsonPart(const nlohmann::json& object, std::string where);

    const std::string& where() const { return where_; }
    const nlohmann::json& raw() const { return object_; }
    std::string type() const { return text("type"); }

    bool has(const char* key) const { return find(key) != nullptr; }
    std::string text(const char* key, const std::string& otherwise = "") const;
    bool flag(const char* key, bool otherwise) const;
    int64_t number(const char* key, int64_t otherwise) const;
    /// UserError if it is absent.
    JsonPart part(const char* key) const;
    /// The elements of a list; empty if it is absent.
    std::vector<JsonPart> parts(const char* key) const;
    const nlohmann::json* find(const char* key) const;

    [[noreturn]] void refuse(const std::string& what, const std::string& mend) const;
    /// UserError where parts are nested deeper than any tokenizer nests them.
    void check_depth(int depth) const;
    /// For what is valid but not read here.
    [[noreturn]] void refuse_kind(const char* kinds_that_are_read) const;

  private:
    const nlohmann::json& object_;
    std::string where_;
};

}  // namespace headroom

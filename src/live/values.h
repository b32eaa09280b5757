#pragma once

#include <string>

#include "cutis/core/options.h"
#include "cutis/io/json.h"

namespace cutis {

/// A value of a scene from what a page sends. \throw InvalidInput  null
Value value_of(const Json& json);

/// A value of an option as a command says it; none: its default.
void put_value(Table& values, const Json& command);

/// As a scene writes it.
std::string toml_text(const Value& value);

/// The value of an option as a page shows it; null: left out, automatic or given for code alone.
Json option_value(const Option& option);

/// Everything there is to know about options that a page shows, with their present values.
/// \param defaults  the same options of a plan that nobody has changed
Json options_json(const Options& options, const Options& defaults, const std::vector<std::string>& first);

/// A scene's text without the tables of a name.
std::string without_tables(const std::string& scene, const std::string& name);

/// A scene's text with other [[layer]] tables.
std::string with_layers(const std::string& scene, const std::vector<std::pair<std::string, Table>>& layers);

}  // namespace cutis

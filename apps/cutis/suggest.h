#pragma once

#include <string>

#include "cutis/io/suggest.h"
#include "verbs.h"

namespace cutis::app {

/// Flags that `suggest` and `bake CHARACTER` share.
void add_suggest_flags(CLI::App& verb, SuggestOptions& options);

/// Whether a path names a character instead of a scene.
bool is_character(const std::string& path);

/// What was found, and what is in doubt.
std::string suggestion_text(const Suggestion& suggestion);

}  // namespace cutis::app

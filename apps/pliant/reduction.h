#pragma once
// How a body is reduced, on the command line: what the words of a scene say of a simulator, as options.
#include <string>

#include "body_source.h"

namespace pliant::app {

struct Reduction {
  std::string method;          ///< none: that of a scene, or else hrpd
  Json keys = Json::object();  ///< of the simulator: those that were given
  std::string method_of_keys;  ///< the method to which one of them belongs, and its option
  std::string option_of_method;
  bool given() const { return !method.empty() || !keys.empty(); }
};

/// The words for it: --method, --handles, --samples, ...; `reduction` must outlive the command.
void add_reduction(CLI::App& command, Reduction& reduction);

/// A body that is reduced so. UsageError for options of another method.
BodyWords reduced_body_words(const BodySource& source, const Reduction& reduction);

}  // namespace pliant::app

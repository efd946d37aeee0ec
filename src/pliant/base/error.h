#pragma once
// Errors that reach a person: what was wrong, where, and what was expected.
#include <stdexcept>
#include <string>
#include <string_view>

namespace pliant {

/// Something could not be done. The message is one sentence for a person; context is put in front of it on
/// the way up: "scene.json: bodies[2].mesh: dino.msh: line 7: ...".
class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}

  /// Puts "context: " in front. Catch by reference, add, and rethrow with a bare `throw;`, which keeps the
  /// type.
  void add_context(std::string_view context) { message_ = std::string(context) + ": " + message_; }

  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// The input is at fault, and the caller can mend it: a broken file, a wrong size, an option out of range.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The person asked to stop (Ctrl-C). Thrown by progress callbacks, so that long work unwinds cleanly.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

/// Runs `body`; an Error that leaves it carries `context` in front.
template <class Body>
decltype(auto) with_context(std::string_view context, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    error.add_context(context);
    throw;
  }
}

}  // namespace pliant

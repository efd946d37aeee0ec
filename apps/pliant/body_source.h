#pragma once
// Bodies on the command line: a mesh, a shape or the body of a scene, what it is made of and where it is held.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"

namespace pliant::app {

struct BodySource {
  std::string input;  ///< a mesh file, the name of a shape, or a scene
  int tets = 20000;
  std::string material = "neo_hookean";
  double young = 0;  ///< Pa; 0: 1e5, or of a mesh file as much as its size asks for
  double poisson = 0.4, density = 1000;
  double fix_lowest = 0;  ///< part of the height, 0 to 1: vertices below are held
  bool shell = false;
  std::vector<const CLI::Option*> words;  ///< those for what it is, not for where it comes from

  /// A scene or a model says itself what it is: UsageError where any of these words is given beside one.
  void refuse_words(std::string_view kind) const;
};

/// The words for it: INPUT, --tets, --material, --young, --poisson, --density, --fix-lowest, --shell.
void add_body_source(CLI::App& command, BodySource& source);

/// The first body of a checked scene that says the same, and the folder where its files lie.
struct BodyWords {
  Json json;
  std::filesystem::path folder;
};
BodyWords body_words(const BodySource& source);

}  // namespace pliant::app

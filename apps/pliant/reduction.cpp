#include "reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/scene/scene_schema.h"
#include "pliant/subspace/skinning.h"

namespace pliant::app {
namespace {

constexpr const char* hrpd = "hrpd";
constexpr const char* fem = "reduced_fem";

/// Options become keys: --fitted-handles is fitted_handles.
class Table {
 public:
  Table(CLI::App& command, Reduction& reduction) : command_(command), reduction_(reduction) {}

  void number(const char* option, const char* method, int low, int high, const std::string& text) {
    add<std::int64_t>(option, method, text)->check(CLI::Range(low, high));
  }
  void real(const char* option, const char* method, double low, double high, const std::string& text) {
    add<double>(option, method, text)->check(number_from(low, high));
  }
  void word(const char* option, const char* method, const std::vector<std::string>& words,
            const std::string& text) {
    add<std::string>(option, method, text)->check(CLI::IsMember(words));
  }
  /// A file's path counts from where the command stands, not from a scene's folder.
  void file(const char* option, const char* key, const char* method, const std::string& text) {
    command_.add_option_function<std::string>(
        option,
        [this_one = &reduction_, option, key, method](const std::string& path) {
          take(*this_one, option, key, method, std::filesystem::absolute(path).string());
        },
        with_method(text, method));
  }
  void off(const char* option, const char* key, const char* method, const std::string& text) {
    flag(option, key, method, text, false);
  }
  void on(const char* option, const char* key, const char* method, const std::string& text) {
    flag(option, key, method, text, true);
  }

 private:
  void flag(const char* option, const char* key, const char* method, const std::string& text, bool value) {
    command_.add_flag_callback(
        option,
        [this_one = &reduction_, option, key, method, value] { take(*this_one, option, key, method, value); },
        with_method(text, method));
  }

  template <class T>
  CLI::Option* add(const char* option, const char* method, const std::string& text) {
    std::string key(option + 2);
    std::replace(key.begin(), key.end(), '-', '_');
    return command_.add_option_function<T>(
        option,
        [this_one = &reduction_, option, key, method](const T& value) {
          take(*this_one, option, key, method, value);
        },
        with_method(text, method));
  }

  static std::string with_method(const std::string& text, const char* method) {
    return method ? fmt::format("{}: {}", method, text) : text;
  }

  static void take(Reduction& reduction, const char* option, const std::string& key, const char* method,
                   Json value) {
    reduction.keys[key] = std::move(value);
    if (method) reduction.method_of_keys = method, reduction.option_of_method = option;
  }

  CLI::App& command_;
  Reduction& reduction_;
};

}  // namespace

void add_reduction(CLI::App& command, Reduction& reduction) {
  command
      .add_option("--method", reduction.method,
                  "hrpd (hyper-reduced projective dynamics) or reduced_fem (modes and cubature); by default "
                  "what a scene says, or else hrpd")
      ->check(CLI::IsMember({hrpd, fem}));
  Table table(command, reduction);
  table.number("--samples", nullptr, 1, 100000,
               "Constraints (1000) or elements (150) that are evaluated in place of all");
  table.number("--contact-samples", nullptr, 0, 1000000, "Vertices that feel obstacles (600, 200)");
  table.number("--handles", hrpd, 1, 2000, "handles of positions, twelve degrees of freedom each (120)");
  table.word("--subspace", hrpd, {"skinning", "pca", "localized", "splocs"},
             "of positions: affine maps at handles, or components of --snapshots (skinning)");
  table.file("--snapshots", "snapshots", hrpd,
             "recorded motion of the same mesh, from `pliant snapshots record`");
  table.number("--components", hrpd, 1, 10000, "of recorded motion, three degrees of freedom each (200)");
  table.word("--appended", hrpd, {"none", "translations", "affine"},
             "motions that components have beside what was recorded (affine)");
  table.on("--align", "align", hrpd, "take turning and flying out of what was recorded");
  table.real("--inner", hrpd, 0, 100, "local components act fully up to here, in box diagonals (0.05)");
  table.real("--outer", hrpd, 1e-6, 100, "and not at all from here on (0.25)");
  table.real("--sparsity", hrpd, 0, 1e9, "of splocs: more leaves fewer vertices moving (2)");
  table.number("--iterations", hrpd, 1, 10000, "local/global turns a step (10)");
  table.word("--weights", hrpd, {"smooth", "kinked"},
             "how handles fade; kinked is the paper's cubic (smooth)");
  table.real("--support", hrpd, least_support, most_support,
             "how far they reach, in distances of handles (1.5)");
  table.real("--ramp", hrpd, 0.01, 100, "how far held vertices are felt, in radii of weights (0.5)");
  table.word("--sampling", hrpd, {"weighted", "fitted"},
             "how sampled constraints stand for all: by weights, or by the paper's fit of projections, "
             "faster with many "
             "handles (weighted)");
  table.real("--smoothing", hrpd, 0, 1,
             "of weighted samples: how much of their strain is the mean over what they stand for (0.6)");
  table.word("--fitted-space", hrpd, {"handles", "snapshots"},
             "of projections: affine maps at handles, or what --snapshots show of them (handles)");
  table.number("--fitted-handles", hrpd, 1, 2000, "handles of projections (80)");
  table.number("--fitted-dimension", hrpd, 0, 10000, "what is kept of them; 0: half (0)");
  table.off("--no-fit", "fit", hrpd, "evaluate every constraint: the subspace of positions alone");
  table.off("--no-volume", "volume_preservation", hrpd, "tets resist strain, but not changes of volume");
  table.word("--basis", fem, {"extended_modes", "modal_derivatives", "linear_modes"},
             "how motion is spanned (extended_modes)");
  table.number("--modes", fem, 1, 1000, "vibration modes (15)");
  table.number("--dimension", fem, 0, 3000, "coordinates, where the basis leaves a choice; 0: automatic (0)");
  table.word("--forces", fem, {"cubature", "polynomial", "exact"},
             "polynomial: exact, of stvk in up to about 40 coordinates; exact: every element (cubature)");
  table.number("--poses", fem, 1, 100000, "random poses from which elements are chosen (1000)");
  table.number("--seed", fem, 0, 2147483647, "of the poses and the choice of elements (1)");
}

BodyWords reduced_body_words(const BodySource& source, const Reduction& reduction) {
  BodyWords words = body_words(source);
  if (words.json.contains("model"))
    throw UsageError(
        fmt::format("{}: its first body is a model already; expected a mesh or a shape", source.input));
  Json& simulator = words.json["simulator"];
  const auto said = simulator["kind"].get<std::string>();
  const std::string method =
      !reduction.method.empty() ? reduction.method : (said == hrpd || said == fem ? said : hrpd);
  if (!reduction.method_of_keys.empty() && reduction.method_of_keys != method)
    throw UsageError(fmt::format("{} belongs to --method {}; the method is {}", reduction.option_of_method,
                                 reduction.method_of_keys, method));
  if (said != method) simulator = {{"kind", method}};
  simulator.update(reduction.keys);
  const Json scene = {{"bodies", Json::array({words.json})}};
  words.json = read_scene_text(scene.dump())["bodies"][0];
  return words;
}

}  // namespace pliant::app

#include "pliant/numerics/dissection.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pliant {
namespace {

/// Vertices from which levels are counted, to find a place to cut.
constexpr std::size_t most_starts = 32;
/// A cut must make the inverse of the factor so much smaller.
constexpr double worth_a_cut = 0.92;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Numbers in a triangle.
double triangle(double size) { return size * size / 2; }

class Dissector {
 public:
  Dissector(std::span<const std::vector<int>> neighbors, int least)
      : neighbors_(neighbors), least_(at(std::max(least, 1))), level_(neighbors.size(), outside) {}

  Dissection run() {
    std::vector<int> all(neighbors_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    take_apart(all);
    return std::move(out_);
  }

 private:
  static constexpr int outside = -2, unseen = -1;

  /// Vertices of a set in the order in which they are met from a start, and their levels.
  void walk(int start, std::vector<int>& met) {
    met.assign(1, start);
    level_[at(start)] = 0;
    for (std::size_t i = 0; i < met.size(); ++i)
      for (const int v : neighbors_[at(met[i])])
        if (level_[at(v)] == unseen) {
          level_[at(v)] = level_[at(met[i])] + 1;
          met.push_back(v);
        }
  }

  /// Pieces of a set that hang together; small ones are put together until they are large enough.
  std::vector<std::vector<int>> pieces(const std::vector<int>& set) {
    for (const int v : set) level_[at(v)] = unseen;
    std::vector<std::vector<int>> out;
    std::vector<int> small, met;
    for (const int v : set) {
      if (level_[at(v)] != unseen) continue;
      walk(v, met);
      if (met.size() >= least_) {
        out.push_back(met);
        continue;
      }
      small.insert(small.end(), met.begin(), met.end());
      if (small.size() >= least_) out.push_back(std::exchange(small, {}));
    }
    if (!small.empty()) out.push_back(std::move(small));
    for (const int v : set) level_[at(v)] = outside;
    return out;
  }

  /// A part of the set and all that is below it; the number of the uppermost, -1 if the set fell apart by itself.
  int take_apart(const std::vector<int>& set) {
    std::vector<std::vector<int>> parts = pieces(set);
    if (parts.size() != 1) {
      for (const std::vector<int>& piece : parts) take_apart_piece(piece);
      return -1;
    }
    return take_apart_piece(parts[0]);
  }

  int take_apart_piece(const std::vector<int>& piece) {
    std::vector<int> cut = separator(piece);
    const int first = static_cast<int>(out_.parts.size());
    if (cut.size() < piece.size()) {
      for (const int v : cut) level_[at(v)] = unseen;  // a mark, for a moment
      std::vector<int> rest;
      for (const int v : piece)
        if (level_[at(v)] != unseen) rest.push_back(v);
      for (const int v : cut) level_[at(v)] = outside;
      take_apart(rest);
    }
    const int own = static_cast<int>(out_.parts.size());
    for (int p = first; p < own; ++p)
      if (out_.parts[at(p)].parent < 0) out_.parts[at(p)].parent = own;
    std::sort(cut.begin(), cut.end());
    out_.parts.push_back({.vertices = std::move(cut), .parent = -1, .first = first});
    return own;
  }

  /// The level, seen from some vertex, that is best taken out; the whole piece where no cut is worth it.
  std::vector<int> separator(const std::vector<int>& piece) {
    std::vector<int> best = piece, met;
    if (piece.size() < 3 * least_) return best;
    const auto size = static_cast<double>(piece.size());
    double least = worth_a_cut * triangle(size);
    const std::size_t starts = std::min(most_starts, piece.size());
    for (std::size_t s = 0; s < starts; ++s) {
      for (const int v : piece) level_[at(v)] = unseen;
      walk(piece[s * piece.size() / starts], met);
      const int levels = level_[at(met.back())] + 1;
      // Of a level, those that see the next one keep both sides apart; the others belong to what is before.
      std::vector<int> count(at(levels), 0), apart(at(levels), 0);
      std::vector<char> sees(met.size(), 0);
      for (std::size_t i = 0; i < met.size(); ++i) {
        const int level = level_[at(met[i])];
        sees[i] = std::any_of(neighbors_[at(met[i])].begin(), neighbors_[at(met[i])].end(),
                              [&](int v) { return level_[at(v)] == level + 1; });
        ++count[at(level)];
        apart[at(level)] += sees[i];
      }
      double before = 0;
      for (int level = 0; level + 1 < levels; ++level) {
        before += count[at(level)];
        const double cut = apart[at(level)], near = before - cut, far = size - before;
        const double left = triangle(cut) + cut * (near + far) + triangle(near) + triangle(far);
        if (!(left < least)) continue;
        least = left;
        best.clear();
        for (std::size_t i = 0; i < met.size(); ++i)
          if (level_[at(met[i])] == level && sees[i]) best.push_back(met[i]);
      }
    }
    for (const int v : piece) level_[at(v)] = outside;
    return best;
  }

  std::span<const std::vector<int>> neighbors_;
  std::size_t least_;
  std::vector<int> level_;  // of vertices that are looked at; `outside` of all others
  Dissection out_;
};

}  // namespace

Dissection dissect(std::span<const std::vector<int>> neighbors, int least) {
  return Dissector(neighbors, least).run();
}

}  // namespace pliant

#include "pliant/numerics/dissection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace pliant {
namespace {

/// A cut must make the inverse of the factor so much smaller.
constexpr double worth_a_cut = 0.92;
/// What cuts below are expected to leave of the two sides: balanced cuts are worth more than they look.
constexpr double cut_again = 0.7;
/// Vertices from which a graph is walked through, to order it; fewer if it is large.
constexpr std::size_t most_walks = 8;
/// Places at which an order is cut in two, of so many parts.
constexpr std::size_t fractions = 16, first_fraction = 4;
/// Turns in which slow functions on the graph are found.
constexpr int smoothings = 60;
constexpr std::size_t slow_functions = 3;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Numbers in a triangle.
double triangle(std::size_t size) { return static_cast<double>(size) * static_cast<double>(size) / 2; }

class Dissector {
 public:
  Dissector(std::span<const std::vector<int>> neighbors, int least)
      : neighbors_(neighbors),
        least_(at(std::max(least, 1))),
        mark_(neighbors.size(), outside),
        place_(neighbors.size(), 0) {}

  Dissection run() {
    std::vector<int> all(neighbors_.size());
    std::iota(all.begin(), all.end(), 0);
    take_apart(all);
    return std::move(out_);
  }

 private:
  static constexpr char outside = 0, unseen = 1, seen = 2;

  /// Vertices of a set, which are marked as not seen, in the order in which they are met from a start.
  void walk(int start, std::vector<int>& met) {
    met.assign(1, start);
    mark_[at(start)] = seen;
    for (std::size_t i = 0; i < met.size(); ++i)
      for (const int v : neighbors_[at(met[i])])
        if (mark_[at(v)] == unseen) {
          mark_[at(v)] = seen;
          met.push_back(v);
        }
  }

  void mark(const std::vector<int>& set, char as) {
    for (const int v : set) mark_[at(v)] = as;
  }

  /// Pieces of a set that hang together; small ones are put together until they are large enough.
  std::vector<std::vector<int>> pieces(const std::vector<int>& set) {
    mark(set, unseen);
    std::vector<std::vector<int>> out;
    std::vector<int> small, met;
    for (const int v : set) {
      if (mark_[at(v)] == seen) continue;
      walk(v, met);
      if (met.size() >= least_) {
        out.push_back(met);
        continue;
      }
      small.insert(small.end(), met.begin(), met.end());
      if (small.size() >= least_) out.push_back(std::exchange(small, {}));
    }
    if (!small.empty()) out.push_back(std::move(small));
    mark(set, outside);
    return out;
  }

  /// Adds the parts of a set; how many numbers their rows of the inverse factor have, up to the set itself.
  double take_apart(const std::vector<int>& set) {
    double numbers = 0;
    for (std::vector<int>& piece : pieces(set)) numbers += take_apart_piece(std::move(piece));
    return numbers;
  }

  double take_apart_piece(std::vector<int> piece) {
    const int first = static_cast<int>(out_.parts.size());
    const double whole = triangle(piece.size());
    std::vector<int> cut = separator(piece);
    double numbers = whole;
    if (!cut.empty()) {
      mark(cut, seen);
      std::vector<int> rest;
      for (const int v : piece)
        if (mark_[at(v)] != seen) rest.push_back(v);
      mark(cut, outside);
      numbers = triangle(cut.size()) + static_cast<double>(cut.size() * rest.size()) + take_apart(rest);
      if (!(numbers < worth_a_cut * whole)) {
        out_.parts.resize(at(first));
        cut.clear();
        numbers = whole;
      }
    }
    if (cut.empty()) cut = std::move(piece);
    const int own = static_cast<int>(out_.parts.size());
    for (int p = first; p < own; ++p)
      if (out_.parts[at(p)].parent < 0) out_.parts[at(p)].parent = own;
    std::sort(cut.begin(), cut.end());
    out_.parts.push_back({.vertices = std::move(cut), .parent = -1, .first = first});
    return numbers;
  }

  /// What is best taken out of a piece; nothing where no cut leaves two sides. The piece is put in some orders, in which
  /// neighbours stand near each other, and these are cut at some places.
  std::vector<int> separator(const std::vector<int>& piece) {
    std::vector<int> best;
    if (piece.size() < 3 * least_ || nearly_complete(piece)) return best;
    double least = triangle(piece.size());
    std::vector<int> cut;
    const auto try_order = [&](const std::vector<int>& order) {
      for (std::size_t part = first_fraction; part + first_fraction <= fractions; ++part) {
        const std::size_t before = part * order.size() / fractions;
        cover(order, before, cut);
        std::size_t near = before;
        for (const int v : cut) near -= place_[at(v)] < before;
        const std::size_t far = order.size() - cut.size() - near;
        if (near == 0 || far == 0) continue;
        const double left = triangle(cut.size()) + static_cast<double>(cut.size() * (near + far)) +
                            cut_again * (triangle(near) + triangle(far));
        if (left < least) least = left, best = cut;
      }
    };
    std::vector<int> order;
    const std::size_t walks = std::clamp<std::size_t>(4000 / piece.size(), 2, most_walks);
    for (std::size_t w = 0; w < walks; ++w) {
      // From where a walk from somewhere ends: the far ends of the graph.
      mark(piece, unseen);
      walk(piece[w * piece.size() / walks], order);
      mark(piece, unseen);
      const int end = order.back();
      walk(end, order);
      try_order(order);
    }
    mark(piece, outside);
    for (const std::vector<double>& values : slow(piece)) {
      order = piece;
      std::stable_sort(order.begin(), order.end(),
                       [&](int a, int b) { return values[place_[at(a)]] < values[place_[at(b)]]; });
      try_order(order);
    }
    return best;
  }

  /// Whether most pairs of vertices are joined, as in subspaces whose columns reach everywhere.
  bool nearly_complete(const std::vector<int>& piece) {
    std::size_t joined = 0;
    mark(piece, unseen);
    for (const int v : piece)
      for (const int w : neighbors_[at(v)]) joined += mark_[at(w)] == unseen;
    mark(piece, outside);
    return static_cast<double>(joined) > worth_a_cut * static_cast<double>(piece.size() * piece.size());
  }

  /// Functions on a piece that change little from a vertex to its neighbours, at the places of vertices in it: of the mean over
  /// neighbours, applied again and again, they are what falls most slowly.
  std::vector<std::vector<double>> slow(const std::vector<int>& piece) {
    const std::size_t size = piece.size();
    mark(piece, unseen);
    for (std::size_t i = 0; i < size; ++i) place_[at(piece[i])] = i;
    std::vector<std::vector<double>> out(slow_functions, std::vector<double>(size));
    for (std::size_t f = 0; f < slow_functions; ++f)
      for (std::size_t i = 0; i < size; ++i)
        out[f][i] = std::cos(static_cast<double>((f + 1) * (i + 1)) * 0.7 + static_cast<double>(f));
    std::vector<double> mean(size);
    for (int turn = 0; turn < smoothings; ++turn)
      for (std::size_t f = 0; f < slow_functions; ++f) {
        std::vector<double>& values = out[f];
        for (std::size_t i = 0; i < size; ++i) {
          double sum = values[i], count = 1;
          for (const int v : neighbors_[at(piece[i])])
            if (mark_[at(v)] == unseen) sum += values[place_[at(v)]], ++count;
          mean[i] = sum / count;
        }
        // Constants, and the functions before, are left out.
        const double constant = std::accumulate(mean.begin(), mean.end(), 0.0) / static_cast<double>(size);
        for (double& value : mean) value -= constant;
        for (std::size_t g = 0; g < f; ++g) {
          const double part = std::inner_product(mean.begin(), mean.end(), out[g].begin(), 0.0);
          for (std::size_t i = 0; i < size; ++i) mean[i] -= part * out[g][i];
        }
        const double length = std::sqrt(std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0));
        for (std::size_t i = 0; i < size; ++i) values[i] = length > 0 ? mean[i] / length : 0;
      }
    mark(piece, outside);
    return out;
  }

  /// The fewest vertices that touch every edge between the first of an order and the others: as many as edges can be chosen of
  /// which no two share a vertex, and found from these [König 1931].
  void cover(const std::vector<int>& order, std::size_t before, std::vector<int>& cut) {
    const std::size_t size = order.size();
    for (std::size_t i = 0; i < size; ++i) {
      place_[at(order[i])] = i;
      mark_[at(order[i])] = unseen;
    }
    across_.assign(before, {});
    for (std::size_t i = 0; i < before; ++i)
      for (const int v : neighbors_[at(order[i])])
        if (mark_[at(v)] == unseen && place_[at(v)] >= before) across_[i].push_back(place_[at(v)]);
    partner_.assign(size, none);
    visited_.assign(size, 0);
    for (std::size_t i = 0; i < before; ++i)
      if (!across_[i].empty() && match(i)) std::fill(visited_.begin(), visited_.end(), 0);
    // What is reached from the unmatched by turns of edges that were not chosen and that were.
    std::fill(visited_.begin(), visited_.end(), 0);
    reached_.assign(before, 0);
    for (std::size_t i = 0; i < before; ++i)
      if (!across_[i].empty() && partner_[i] == none) reach(i);
    cut.clear();
    for (std::size_t i = 0; i < before; ++i)
      if (partner_[i] != none && !reached_[i]) cut.push_back(order[i]);
    for (std::size_t i = before; i < size; ++i)
      if (visited_[i]) cut.push_back(order[i]);
    mark(order, outside);
  }

  bool match(std::size_t i) {
    for (const std::size_t j : across_[i]) {
      if (visited_[j]) continue;
      visited_[j] = 1;
      if (partner_[j] != none && !match(partner_[j])) continue;
      partner_[i] = j, partner_[j] = i;
      return true;
    }
    return false;
  }

  void reach(std::size_t i) {
    reached_[i] = 1;
    for (const std::size_t j : across_[i]) {
      if (visited_[j]) continue;
      visited_[j] = 1;
      if (partner_[j] != none && !reached_[partner_[j]]) reach(partner_[j]);
    }
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::span<const std::vector<int>> neighbors_;
  std::size_t least_;
  std::vector<char> mark_;          // of the set that is looked at; `outside` of all others
  std::vector<std::size_t> place_;  // in the order that is looked at
  std::vector<std::vector<std::size_t>> across_;
  std::vector<std::size_t> partner_;
  std::vector<char> visited_, reached_;
  Dissection out_;
};

}  // namespace

Dissection dissect(std::span<const std::vector<int>> neighbors, int least) {
  return Dissector(neighbors, least).run();
}

}  // namespace pliant

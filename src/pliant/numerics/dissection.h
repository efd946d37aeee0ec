#pragma once
// A small graph taken apart by separators: the order in which a matrix with that graph is eliminated, and what stays zero then.
#include <span>
#include <vector>

namespace pliant {

/// Vertices in parts that form a forest [nested dissection, George 1973]: those of a part are joined to their own part, to parts
/// above it and to parts below it, and to no others. Children stand before their parents, all that is below a part right before it.
struct Dissection {
  struct Part {
    std::vector<int> vertices;
    int parent = -1;  ///< -1: none
    int first = 0;    ///< the first part below it; itself if there is none
  };
  std::vector<Part> parts;
};

/// Cuts where that makes the inverse of the factor smaller by a tenth or more, into pieces of `least` vertices at least.
/// @param neighbors  of every vertex, on both sides; itself may be among them
Dissection dissect(std::span<const std::vector<int>> neighbors, int least);

}  // namespace pliant

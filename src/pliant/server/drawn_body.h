#pragma once
// What a page needs to draw a body from the few numbers that move it: points, triangles, and how coordinates become
// positions.
#include <optional>
#include <string>
#include <vector>

#include "pliant/geometry/embedding.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/safetensors.h"
#include "pliant/server/protocol.h"
#include "pliant/simulation/simulator.h"

namespace pliant::server {

/// How a page gets from what a frame says to positions.
enum class Decode {
  skinning,   ///< x = rest + Σ columns of handles times 4 x 3 coordinates
  dense,      ///< x = rest + U q
  positions,  ///< the frame has them
};
std::string_view name(Decode decode);

/// Points are sums of the simulator's vertices: first those of the surface, then marks of samples, then of handles.
struct DrawnBody {
  Decode decode = Decode::positions;
  Index surface = 0;  ///< points that triangles use
  Points rest;        ///< all points
  Triangles triangles;
  Tets corners;  ///< points x 4: vertices; the first alone where the weight of the others is zero
  Embedding::Weights weights;  ///< points x 4

  std::vector<int> pick;           ///< surface: the vertex that a pull there takes
  std::vector<int> sample_points;  ///< those that mark samples
  Eigen::VectorXf sample_weights;  ///< of each, over their mean
  std::vector<int> handle_points;  ///< those that mark handles
  std::vector<int> fixed_points;   ///< of the surface: held

  // Skinning: the entries of point i are first[i] to first[i + 1] - 1.
  std::vector<std::uint32_t> first;
  std::vector<std::uint16_t> handle;
  std::vector<float> columns;  ///< four an entry
  // Dense.
  RowMajorMatrix<float> U;  ///< 3 points x d

  Index points() const { return rest.rows(); }
};

/// What is known of the body beside its simulator.
struct ShownMesh {
  const Points& rest_positions;  ///< of the simulator's vertices
  const MeshData& mesh;          ///< what is seen: vertices those of the simulator, or of the embedding
  const Embedding* embedding = nullptr;
};

/// Looks into the simulators of this project; any other is drawn by positions.
DrawnBody drawn_body(const Simulator& simulator, const ShownMesh& shown);

/// As a safetensors file, for the page.
Bytes data_blob(const DrawnBody& body);

/// Positions of points now: of all, or of some.
void drawn_positions(const DrawnBody& body, Simulator& simulator, Points& out);
Points drawn_positions(const DrawnBody& body, Simulator& simulator, std::span<const int> points);
/// The first `count` points, of vertices at these positions.
void combine(const DrawnBody& body, const Points& vertices, Index count, Points& out);

/// Reduced coordinates as frames have them; empty where positions are sent.
std::vector<float> drawn_coordinates(const DrawnBody& body, const Simulator& simulator);
std::vector<float> to_floats(const MatrixXd& handle_coordinates);  ///< 4k x 3, row by row
std::vector<float> to_floats(const VectorXd& coordinates);

}  // namespace pliant::server

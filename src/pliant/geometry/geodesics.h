#pragma once
// Distance along a surface or through a solid, from one or many vertices.
//
// Short-Term Vector Dijkstra [Campen, Heistermann, Kobbelt 2013, "Practical Anisotropic Geodesy"]: Dijkstra's
// algorithm over the edges, but a path's last edges are measured by the straight vector they add up to, not
// one by one. Plain Dijkstra overestimates by 5 to 20 %, however fine the mesh; this by well under 2 %.
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

namespace detail {

struct GeodesicGraph;

/// How the front came to a vertex.
struct GeodesicWay {
  double distance = std::numeric_limits<double>::infinity();
  double last_edge = std::numeric_limits<double>::infinity();  ///< the predecessor's distance and the edge
  std::int32_t predecessor = -1;  ///< on a surface the edge slot that leads back, in a solid the vertex
  std::int32_t source = -1;
};

}  // namespace detail

struct GeodesicOptions {
  int window = 8;  ///< edges of a path straightened together, 1 to 64; 1 is plain Dijkstra
  double max_distance = std::numeric_limits<double>::infinity();  ///< m; the front stops here
  std::span<const double> initial_distances = {};                 ///< m, one a source; none given: 0
};

/// Distance of every vertex to the nearest source; infinity where no path leads, or beyond max_distance.
VectorXd geodesic_distance(const TriMesh& mesh, std::span<const int> sources,
                           const GeodesicOptions& options = {});
VectorXd geodesic_distance(const TetMesh& mesh, std::span<const int> sources,
                           const GeodesicOptions& options = {});

struct GeodesicField {
  VectorXd distance;        ///< n, metres; infinity where the front did not come
  VectorXi nearest_source;  ///< n, index into the sources; -1 where the front did not come
};

/// A vertex the front came to.
struct GeodesicReach {
  int vertex;
  int source;       ///< index into the sources
  double distance;  ///< m
};

/// For many runs on one mesh: the edges are prepared once, and a run costs only the vertices it reaches.
/// Copies share the mesh and may run on other threads; one object serves one thread at a time.
class GeodesicSolver {
 public:
  explicit GeodesicSolver(const TriMesh& mesh);
  explicit GeodesicSolver(const TetMesh& mesh);
  explicit GeodesicSolver(std::shared_ptr<const detail::GeodesicGraph> graph);

  Index vertex_count() const;

  /// Whether straight ways through a solid are tested to stay inside it, as they are unless told otherwise. Without, a run
  /// is about twice as fast, and ways across a notch narrower than a few edges may come out too short.
  void set_sight(bool on) { sight_ = on; }

  GeodesicField distance_from(std::span<const int> sources, const GeodesicOptions& options = {});

  /// Only the vertices reached, nearest first (equal distances: in the order the front took them). The result
  /// stays valid until the next run.
  std::span<const GeodesicReach> reach(std::span<const int> sources, const GeodesicOptions& options = {});

  /// Lowers `distance` (n) to what it is with these sources as well, and returns the vertices that changed, as
  /// `reach` does. The front turns back where it does not improve on what is there.
  std::span<const GeodesicReach> add_sources(VectorXd& distance, std::span<const int> sources,
                                             const GeodesicOptions& options = {});

  const detail::GeodesicGraph& graph() const { return *graph_; }

 private:
  struct Entry {
    double distance;
    std::int32_t vertex;
    // Smaller distance first, then smaller id: the order of the front, and so every result, is determined.
    static bool later(const Entry& a, const Entry& b) {
      return a.distance != b.distance ? a.distance > b.distance : a.vertex > b.vertex;
    }
  };
  std::span<const GeodesicReach> run(std::span<const int> sources, const GeodesicOptions& options,
                                     const VectorXd* ceiling);
  template <class Paths>
  void advance(const Paths& paths, const GeodesicOptions& options, const VectorXd* ceiling);
  bool improves(std::int32_t vertex, double distance, double last_edge) const;
  void lower(std::int32_t vertex, const detail::GeodesicWay& way, const GeodesicOptions& options,
             const VectorXd* ceiling);
  std::int32_t pop();

  std::shared_ptr<const detail::GeodesicGraph> graph_;
  bool sight_ = true;
  std::vector<detail::GeodesicWay> way_;  // one a vertex; unreached between runs
  std::vector<std::uint8_t> settled_;
  std::vector<std::int32_t> touched_;
  std::vector<Entry> heap_;
  std::vector<GeodesicReach> reached_;
};

}  // namespace pliant

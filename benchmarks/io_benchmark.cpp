// How fast meshes are read and written, from and to memory: a box of 1.6 million tets, its coordinates
// with all their digits.
#include <benchmark/benchmark.h>

#include <sstream>

#include "pliant/geometry/structured_grid.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/medit.h"
#include "pliant/io/medit_binary.h"
#include "pliant/io/obj.h"
#include "pliant/io/off.h"
#include "pliant/io/ply.h"
#include "pliant/io/stl.h"
#include "pliant/io/vega.h"
#include "pliant/io/vtk.h"
#include "pliant/io/vtu.h"

namespace {

using namespace pliant;

// 69^3 cells of five tets each; coordinates that are not round, as real ones are.
const MeshData& large_mesh() {
  static const MeshData mesh = [] {
    const TetMesh box =
        structured_grid(Vector3d(-0.3, 0.1, 0.2), Vector3d(0.9, 1.3, 1.4), Vector3i(69, 69, 69));
    return MeshData{box.vertices.array().sin().matrix(), {}, box.tets};
  }();
  return mesh;
}

// As many triangles as the box has tets, on the same vertices.
const TriMesh& large_surface() {
  static const TriMesh surface{large_mesh().vertices, large_mesh().tets.leftCols<3>()};
  return surface;
}

using Write = void (*)(std::ostream&);
using Read = MeshData (*)(std::string_view);

void read_file(benchmark::State& state, Read read, Write write) {
  std::ostringstream out;
  write(out);
  const std::string bytes = out.str();
  for (auto _ : state) benchmark::DoNotOptimize(read(bytes));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
  state.counters["MB"] = static_cast<double>(bytes.size()) * 1e-6;
}

// Counts what comes, so that memory for the output does not count.
struct Sink : std::streambuf {
  std::int64_t size = 0;
  std::streamsize xsputn(const char*, std::streamsize n) override {
    size += n;
    return n;
  }
};

void write_file(benchmark::State& state, Write write) {
  Sink sink;
  std::ostream out(&sink);
  for (auto _ : state) write(out);
  state.SetBytesProcessed(sink.size);
}

struct Format {
  const char* name;
  Read read;
  Write write;
};

const Format formats[] = {
    {"mesh", read_medit, [](std::ostream& out) { write_medit(out, large_mesh()); }},
    {"meshb", read_medit_binary, [](std::ostream& out) { write_medit_binary(out, large_mesh()); }},
    {"msh_41_text", read_gmsh, [](std::ostream& out) { write_gmsh(out, large_mesh(), {.binary = false}); }},
    {"msh_41_binary", read_gmsh, [](std::ostream& out) { write_gmsh(out, large_mesh()); }},
    {"msh_22_text", read_gmsh,
     [](std::ostream& out) { write_gmsh(out, large_mesh(), {.version = 22, .binary = false}); }},
    {"msh_22_binary", read_gmsh, [](std::ostream& out) { write_gmsh(out, large_mesh(), {.version = 22}); }},
    {"veg", [](std::string_view bytes) { return read_vega(bytes); },
     [](std::ostream& out) {
       write_vega(out, {large_mesh().vertices, large_mesh().tets});
     }},
    {"vtk_text", read_vtk, [](std::ostream& out) { write_vtk(out, large_mesh(), false); }},
    {"vtk_binary", read_vtk, [](std::ostream& out) { write_vtk(out, large_mesh()); }},
    {"vtu", read_vtu, [](std::ostream& out) { write_vtu(out, large_mesh()); }},
    {"obj", read_obj, [](std::ostream& out) { write_obj(out, large_surface()); }},
    {"off", read_off, [](std::ostream& out) { write_off(out, large_surface()); }},
    {"ply", read_ply, [](std::ostream& out) { write_ply(out, large_surface()); }},
    {"stl", read_stl, [](std::ostream& out) { write_stl(out, large_surface()); }},
};

const bool registered = [] {
  for (const Format& format : formats) {
    const std::string name = format.name;
    benchmark::RegisterBenchmark(("read_" + name).c_str(), [&format](benchmark::State& state) {
      read_file(state, format.read, format.write);
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("write_" + name).c_str(), [&format](benchmark::State& state) {
      write_file(state, format.write);
    })->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace

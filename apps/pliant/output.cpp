#include "output.h"

#include <fmt/format.h>

#include <cmath>

#include "pliant/geometry/surface.h"
#include "pliant/io/file_name.h"
#include "pliant/io/write_png.h"

namespace pliant::app {
namespace {

void write_picture(const std::string& path, const MeshData& mesh, const OutputOptions& options) {
  std::vector<RenderObject> objects;
  if (!options.cut.empty() && mesh.has_tets()) {
    objects = cut_away({mesh.vertices, mesh.tets}, {.normal = Vector3d::Unit(options.cut[0] - 'x')});
  } else {
    RenderObject object;
    object.mesh = mesh.has_tets() ? extract_surface(TetMesh{mesh.vertices, mesh.tets}).mesh
                                  : TriMesh{mesh.vertices, mesh.triangles};
    objects.push_back(std::move(object));
  }
  if (options.edges)
    for (RenderObject& object : objects) object.edges = true;
  RenderOptions picture = options.picture;
  CommandProgress progress;
  picture.progress = progress.callback();
  write_png(path, render(objects, picture));
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_flag("--ascii", options.ascii, "Text instead of binary, where a format has both")
      ->group("Output");
  command.add_option("--msh-version", options.msh_version, "Gmsh's version: 22 or 41")
      ->check(CLI::IsMember({22, 41}))
      ->capture_default_str()
      ->group("Output");

  RenderOptions& picture = options.picture;
  command.add_option("--width", picture.width, "Of a .png, pixels")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str()
      ->group("Pictures");
  command.add_option("--height", picture.height, "Of a .png, pixels")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str()
      ->group("Pictures");
  command.add_option("--samples", picture.samples, "Rays a pixel: more are slower and smoother")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->group("Pictures");
  command.add_option("--azimuth", picture.azimuth, "Degrees the camera stands to the right of the front")
      ->check(number_where([](double x) { return std::isfinite(x); }, "degrees, as 30"))
      ->capture_default_str()
      ->group("Pictures");
  command.add_option("--elevation", picture.elevation, "Degrees the camera stands above the horizon")
      ->check(number_where([](double x) { return std::abs(x) <= 90; }, "degrees from -90 to 90"))
      ->capture_default_str()
      ->group("Pictures");
  command.add_option("--cut", options.cut, "Cut a solid open across this axis, to see the tets")
      ->check(CLI::IsMember({"x", "y", "z"}))
      ->group("Pictures");
  command.add_flag("--edges", options.edges, "Draw the edges of the mesh")->group("Pictures");
  command.add_flag("--dark", picture.dark, "Dark background")->group("Pictures");
}

void check_output(const std::string& path) {
  const std::string extension = format_extension(path);
  if (extension == ".png" && is_gzip_name(path))
    throw UsageError(fmt::format("{}: a picture is compressed in itself; leave out .gz", path));
  if (extension == ".png") return;
  std::string known = ".png";
  for (const MeshFormat& format : mesh_formats()) {
    if (!format.writes) continue;
    if (format.extension == extension) return;
    known += " " + format.extension;
  }
  throw UsageError(fmt::format("{}: nothing here writes '{}'; expected one of {}", path, extension, known));
}

void write_output(const std::string& path, const MeshData& mesh, const OutputOptions& options) {
  if (format_extension(path) == ".png") return write_picture(path, mesh, options);
  write_mesh(path, mesh, {.binary = !options.ascii, .msh_version = options.msh_version});
}

}  // namespace pliant::app

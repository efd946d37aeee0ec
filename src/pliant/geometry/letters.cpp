#include "pliant/geometry/letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numbers>

#include "pliant/base/error.h"
#include "pliant/geometry/sdf.h"

namespace pliant::detail {
namespace {

using Eigen::Vector2d;

// The centre line of a pen stroke.
using Stroke = std::vector<Vector2d>;

Stroke line(std::initializer_list<Vector2d> points) { return points; }

// Part of an ellipse, angles in degrees counter-clockwise from +x.
Stroke arc(double x, double y, double radius_x, double radius_y, double from, double to) {
  const int steps = std::max(2, static_cast<int>(std::ceil(std::abs(to - from) / 15)));
  Stroke stroke;
  for (int i = 0; i <= steps; ++i) {
    const double angle = (from + (to - from) * i / steps) * std::numbers::pi / 180;
    stroke.emplace_back(x + radius_x * std::cos(angle), y + radius_y * std::sin(angle));
  }
  return stroke;
}

Stroke joined(std::initializer_list<Stroke> parts) {
  Stroke all;
  for (const Stroke& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct Glyph {
  double width;  // of the centre lines; their height is 1
  std::vector<Stroke> strokes;
};

// Every glyph is connected and reaches down to y = 0, where the rail is.
Glyph glyph_of(char c) {
  switch (c) {
    case 'A':
      return {0.7, {line({{0, 0}, {0.35, 1}, {0.7, 0}}), line({{0.12, 0.34}, {0.58, 0.34}})}};
    case 'B':
      return {0.58,
              {joined({line({{0, 0}, {0, 1}}), arc(0.31, 0.76, 0.23, 0.24, 90, -90), line({{0, 0.52}})}),
               joined({arc(0.32, 0.26, 0.26, 0.26, 90, -90), line({{0, 0}})})}};
    case 'C':
      return {0.66, {arc(0.40, 0.5, 0.40, 0.5, 50, 310)}};
    case 'D':
      return {0.64, {joined({line({{0, 0}, {0, 1}}), arc(0.2, 0.5, 0.44, 0.5, 90, -90), line({{0, 0}})})}};
    case 'E':
      return {0.5, {line({{0.5, 1}, {0, 1}, {0, 0}, {0.5, 0}}), line({{0, 0.52}, {0.42, 0.52}})}};
    case 'F':
      return {0.5, {line({{0.5, 1}, {0, 1}, {0, 0}}), line({{0, 0.50}, {0.42, 0.50}})}};
    case 'G':
      return {0.70, {joined({arc(0.40, 0.5, 0.40, 0.5, 48, 320), line({{0.70, 0.44}, {0.44, 0.44}})})}};
    case 'H':
      return {0.62, {line({{0, 0}, {0, 1}}), line({{0.62, 0}, {0.62, 1}}), line({{0, 0.5}, {0.62, 0.5}})}};
    case 'I':
      return {0, {line({{0, 0}, {0, 1}})}};
    case 'J':
      return {0.46, {joined({line({{0.46, 1}}), arc(0.23, 0.25, 0.23, 0.25, 0, -170)})}};
    case 'K':
      return {0.58, {line({{0, 0}, {0, 1}}), line({{0.56, 1}, {0, 0.42}}), line({{0.2, 0.62}, {0.58, 0}})}};
    case 'L':
      return {0.5, {line({{0, 1}, {0, 0}, {0.5, 0}})}};
    case 'M':
      return {0.82, {line({{0, 0}, {0, 1}, {0.41, 0.34}, {0.82, 1}, {0.82, 0}})}};
    case 'N':
      return {0.64, {line({{0, 0}, {0, 1}, {0.64, 0}, {0.64, 1}})}};
    case 'O':
      return {0.82, {arc(0.41, 0.5, 0.41, 0.5, 0, 360)}};
    case 'P':
      return {0.56,
              {joined({line({{0, 0}, {0, 1}}), arc(0.28, 0.72, 0.28, 0.28, 90, -90), line({{0, 0.44}})})}};
    case 'Q':
      return {0.84, {arc(0.41, 0.5, 0.41, 0.5, 0, 360), line({{0.5, 0.28}, {0.84, 0}})}};
    case 'R':
      return {0.58,
              {joined({line({{0, 0}, {0, 1}}), arc(0.28, 0.73, 0.27, 0.27, 90, -90), line({{0, 0.46}})}),
               line({{0.28, 0.46}, {0.58, 0}})}};
    case 'S':
      return {0.56, {joined({arc(0.28, 0.75, 0.26, 0.25, 35, 270), arc(0.28, 0.25, 0.28, 0.25, 90, -150)})}};
    case 'T':
      return {0.66, {line({{0, 1}, {0.66, 1}}), line({{0.33, 0}, {0.33, 1}})}};
    case 'U':
      return {0.62, {joined({line({{0, 1}}), arc(0.31, 0.31, 0.31, 0.31, 180, 360), line({{0.62, 1}})})}};
    case 'V':
      return {0.68, {line({{0, 1}, {0.34, 0}, {0.68, 1}})}};
    case 'W':
      return {0.98, {line({{0, 1}, {0.24, 0}, {0.49, 0.72}, {0.74, 0}, {0.98, 1}})}};
    case 'X':
      return {0.64, {line({{0, 0}, {0.64, 1}}), line({{0, 1}, {0.64, 0}})}};
    case 'Y':
      return {0.66, {line({{0, 1}, {0.33, 0.48}, {0.66, 1}}), line({{0.33, 0}, {0.33, 0.48}})}};
    case 'Z':
      return {0.58, {line({{0, 1}, {0.58, 1}, {0, 0}, {0.58, 0}})}};
    case '0':
      return {0.62, {arc(0.31, 0.5, 0.31, 0.5, 0, 360)}};
    case '1':
      return {0.3, {line({{0, 0.76}, {0.3, 1}, {0.3, 0}})}};
    case '2':
      return {0.56, {joined({arc(0.28, 0.72, 0.28, 0.28, 160, -35), line({{0, 0}, {0.56, 0}})})}};
    case '3':
      return {0.56, {joined({arc(0.27, 0.76, 0.25, 0.24, 150, -90)}), arc(0.28, 0.26, 0.28, 0.26, 90, -150)}};
    case '4':
      return {0.6, {line({{0.44, 0}, {0.44, 1}, {0, 0.32}, {0.6, 0.32}})}};
    case '5':
      return {0.56,
              {joined({line({{0.5, 1}, {0.08, 1}, {0.04, 0.52}}), arc(0.26, 0.31, 0.30, 0.31, 118, -150)})}};
    case '6':
      return {0.6,
              {arc(0.3, 0.3, 0.3, 0.3, 0, 360),
               joined({line({{0.46, 1}}), arc(0.42, 0.3, 0.42, 0.6, 115, 180)})}};
    case '7':
      return {0.56, {line({{0, 1}, {0.56, 1}, {0.2, 0}})}};
    case '8':
      return {0.56, {arc(0.28, 0.76, 0.24, 0.24, 0, 360), arc(0.28, 0.26, 0.28, 0.26, 0, 360)}};
    case '9':
      return {
          0.6,
          {arc(0.3, 0.7, 0.3, 0.3, 0, 360), joined({line({{0.14, 0}}), arc(0.18, 0.7, 0.42, 0.6, -65, 0)})}};
    default:
      return {-1, {}};
  }
}

// A glyph set in the line of text, in metres.
struct Letter {
  double left, right;  // of its centre lines
  std::vector<Stroke> strokes;

  // Distance in the plane from the centre lines.
  double distance(const Vector2d& p) const {
    double nearest = std::numeric_limits<double>::max();
    for (const Stroke& stroke : strokes)
      for (std::size_t i = 0; i + 1 < stroke.size(); ++i) {
        const Vector2d pa = p - stroke[i], ba = stroke[i + 1] - stroke[i];
        const double t = std::clamp(pa.dot(ba) / std::max(ba.squaredNorm(), 1e-300), 0.0, 1.0);
        nearest = std::min(nearest, (pa - t * ba).squaredNorm());
      }
    return std::sqrt(nearest);
  }
};

}  // namespace

Implicit letters(std::string_view text, double thinnest) {
  // === Set the glyphs side by side, in units of their height
  constexpr double pen = 0.13, gap = 0.12, space = 0.45, rail = 0.16,
                   depth = 0.17;  // pen, rail, depth: half widths
  std::vector<Letter> line;
  double x = 0;
  for (const char given : text) {
    const char c = static_cast<char>(std::toupper(static_cast<unsigned char>(given)));
    if (c == ' ') {
      x += space;
      continue;
    }
    Glyph glyph = glyph_of(c);
    if (glyph.width < 0)
      throw InputError(fmt::format(
          "letters: text has the byte 0x{:02x}; expected A to Z, 0 to 9 and spaces; leave the others out",
          static_cast<unsigned char>(given)));
    for (Stroke& stroke : glyph.strokes)
      for (Vector2d& point : stroke) point.x() += x + pen;
    line.push_back({x + pen, x + pen + glyph.width, std::move(glyph.strokes)});
    x += glyph.width + 2 * pen + gap;
  }
  if (line.empty()) throw InputError("letters: text is empty; expected at least one of A to Z and 0 to 9");

  // === Bring it to size: the longest side 1 m, standing on y = 0, centred
  const double left = line.front().left - pen - gap, right = line.back().right + pen + gap;
  const double height = 1 + pen + 2 * rail;  // glyphs sink into the rail by its upper half
  const double unit = 1 / std::max(right - left, height), middle = (left + right) / 2;
  for (Letter& letter : line) {
    for (Stroke& stroke : letter.strokes)
      for (Vector2d& point : stroke) point = unit * Vector2d(point.x() - middle, point.y() + 2 * rail);
    letter.left = unit * (letter.left - middle);
    letter.right = unit * (letter.right - middle);
  }
  const double stroke_radius = std::max(thinnest, unit * pen), half_depth = std::max(thinnest, unit * depth),
               rounding = 0.35 * std::min(stroke_radius, half_depth);
  const Vector3d rail_half(unit * (right - left) / 2, std::max(thinnest, unit * rail), 1.25 * half_depth);

  const auto distance = [line, stroke_radius, half_depth, rounding, rail_half](const Vector3d& p) {
    double nearest = sdf::box(p - Vector3d(0, rail_half.y(), 0), rail_half, 0.5 * rounding);
    for (const Letter& letter : line) {
      const double aside = std::max({letter.left - p.x(), p.x() - letter.right, 0.0}) - stroke_radius;
      if (aside >= nearest) continue;
      // The stroke's flat distance, extruded along z with rounded edges.
      const double flat = letter.distance({p.x(), p.y()}) - stroke_radius + rounding;
      const double deep = std::abs(p.z()) - half_depth + rounding;
      const double extruded = std::hypot(std::max(flat, 0.0), std::max(deep, 0.0)) +
                              std::min(std::max(flat, deep), 0.0) - rounding;
      nearest = std::min(nearest, extruded);
    }
    return std::max(nearest, -p.y());  // thickened strokes stay above the ground
  };
  const Vector3d upper(rail_half.x() + 0.05, unit * height + 0.05 + thinnest, 1.25 * half_depth + 0.05);
  return {distance, {-upper.x(), -0.05, -upper.z()}, upper};
}

}  // namespace pliant::detail

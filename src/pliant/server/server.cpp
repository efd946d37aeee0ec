#include "pliant/server/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/io/letter_case.h"
#include "pliant/server/network.h"
#include "pliant/server/page_files.h"
#include "pliant/server/session.h"

namespace pliant {
namespace {

using namespace server;

constexpr int ports_tried = 100;

HttpAnswer refusal(int status, const std::string& sentence) {
  const Json words = {{"error", sentence}};
  return {.status = status, .type = "application/json", .body = text(words)};
}

/// What a person called a file, without folders and signs that a file system could misread.
std::string plain_name(const std::string& name) {
  std::string plain = name.substr(name.find_last_of("/\\") + 1);
  for (char& c : plain)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
          c == '-' || c == '_'))
      c = '_';
  while (!plain.empty() && plain.front() == '.') plain.erase(0, 1);
  return plain.size() > 100 ? plain.substr(plain.size() - 100) : plain;
}

/// A mesh that we read, or a model.
bool can_be_opened(const std::string& name) {
  std::string lower = lower_case(name);
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  if (lower.ends_with(".pliant")) return true;
  return std::any_of(mesh_formats().begin(), mesh_formats().end(), [&](const MeshFormat& format) {
    return format.reads && lower.ends_with(format.extension);
  });
}

constexpr const char* no_page =
    "<!doctype html><title>Pliant</title><p>The viewer's page is not part of this program: build it with "
    "<code>make "
    "build</code>, which needs node and npm.</p>";

}  // namespace

struct Server::Parts {
  Parts(SessionSource source, const ServerOptions& o)
      : options(o),
        session(std::move(source), o.title,
                {.paused = o.paused,
                 .real_time = o.real_time,
                 .pause_without_viewers = o.pause_without_viewers,
                 .tets = o.tets}),
        network({.address = o.address,
                 .port = o.port,
                 .tries = o.next_free_port ? ports_tried : 1,
                 .allowed_hosts = o.allowed_hosts},
                events()) {
    for (const PageFile& file : page_files())
      page[std::string(file.path)] = std::make_shared<const std::string>(file.bytes);
  }

  NetworkEvents events() {
    return {.joined = [this](int client) { session.ask(client, Joined{}); },
            .left = [this](int client) { session.ask(client, Left{}); },
            .message =
                [this](int client, std::string_view message) {
                  if (!session.ask(client, read_request(message))) throw Error("too many requests at once");
                },
            .get = [this](std::string_view path) { return get(std::string(path)); },
            .upload = [this](const std::string& name,
                             std::string&& body) { return upload(name, std::move(body)); }};
  }

  std::optional<HttpAnswer> get(const std::string& path) const {
    if (path == "/" && page.empty())
      return HttpAnswer{.type = "text/html; charset=utf-8",
                        .body = std::make_shared<const std::string>(no_page)};
    const auto found = page.find(path == "/" ? "/index.html" : path);
    if (found != page.end())
      return HttpAnswer{.type = std::string(content_type(found->first)), .body = found->second};
    const Bytes file = session.file(path);
    if (!file) return std::nullopt;
    return HttpAnswer{
        .type = std::string(content_type(path)), .body = file, .attachment = path.starts_with("/recording")};
  }

  HttpAnswer upload(const std::string& name, std::string&& body) {
    const std::string plain = plain_name(name);
    if (!can_be_opened(plain))
      return refusal(
          400,
          fmt::format("'{}' is not a file that can be opened; expected a mesh or a .pliant model", plain));
    if (session.preparing())
      return refusal(409, "something else is being prepared; try again when it is done");
    if (!session.ask(0, Upload{plain, std::make_shared<const std::string>(std::move(body))}))
      return refusal(503, "too many requests at once");
    return {.status = 202, .type = "application/json", .body = text({{"accepted", true}})};
  }

  ServerOptions options;
  std::map<std::string, Bytes> page;
  Session session;
  Network network;
};

Server::Server(SessionSource source, const ServerOptions& options)
    : parts_(std::make_unique<Parts>(std::move(source), options)) {}

Server::~Server() { stop(); }

void Server::start() {
  Network& network = parts_->network;
  parts_->session.start(
      {.send = [&network](int client, Bytes message) { network.send(client, std::move(message)); },
       .send_to_all = [&network](Bytes message) { network.send_to_all(std::move(message)); },
       .frames = [&network](std::vector<Bytes> frames,
                            bool in_order) { network.send_frames(std::move(frames), in_order); },
       .frames_to = [&network](
                        int client,
                        std::vector<Bytes> frames) { network.send_frames_to(client, std::move(frames)); }});
  network.start();
}

void Server::stop() {
  parts_->network.stop();
  parts_->session.stop();
}

int Server::port() const { return parts_->network.port(); }

std::string Server::url() const {
  const std::string& address = parts_->options.address;
  const bool everywhere = address == "0.0.0.0" || address == "::";
  const std::string host = everywhere                               ? "localhost"
                           : address.find(':') != std::string::npos ? "[" + address + "]"
                                                                    : address;
  return fmt::format("http://{}:{}/", host, port());
}

ServerStatistics Server::statistics() const {
  const NetworkCounts counts = parts_->network.counts();
  return {parts_->session.steps(), counts.frames_sent,  counts.frames_missed,
          counts.bytes_sent,       counts.clients_seen, parts_->network.cpu_seconds()};
}

}  // namespace pliant

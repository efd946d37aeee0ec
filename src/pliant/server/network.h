#pragma once
// Bytes in and out: HTTP and WebSockets on one port, on one thread of its own. Knows nothing of what they say.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/server/protocol.h"

namespace pliant::server {

struct NetworkOptions {
  std::string address = "127.0.0.1";  ///< to listen on
  int port = 0;                       ///< 0: any that is free
  int tries = 1;                      ///< ports that are tried, one after the other, while they are taken
  std::vector<std::string> allowed_hosts;  ///< names beside localhost under which browsers may ask for us
  int most_clients = 64;                   ///< WebSockets at once
  int messages_per_second = 400;           ///< of one client; above, it is closed
  std::size_t most_unsent_messages = 256;  ///< texts that a client has not taken; above, it is closed
  int most_unsent_frames = 2;              ///< frames that a client has not taken; above, it misses some
  std::size_t largest_upload = 256 << 20;  ///< bytes
  double request_timeout = 30;             ///< seconds for a browser to finish what it asks
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  Bytes body;
  bool attachment = false;  ///< a browser saves it as a file
};

/// What comes in; every call on the network's thread, which must not wait long.
struct NetworkEvents {
  std::function<void(int client)> joined;
  std::function<void(int client)> left;
  /// An exception closes the client with its sentence.
  std::function<void(int client, std::string_view text)> message;
  /// A path without its query; none: there is no such thing.
  std::function<std::optional<HttpAnswer>(std::string_view path)> get;
  /// The body of POST /open and the name that was sent with it.
  std::function<HttpAnswer(const std::string& name, std::string&& body)> upload;
};

struct NetworkCounts {
  std::int64_t frames_sent = 0, frames_missed = 0, bytes_sent = 0, clients_seen = 0;
};

struct NetworkState;

/// Sending never waits: everything below may be called from any thread. What one thread sends to a client arrives in
/// that order, but for frames that are missed.
class Network {
 public:
  /// Listens at once; throws InputError where it cannot.
  Network(const NetworkOptions& options, NetworkEvents events);
  ~Network();  ///< closes all, joins the thread
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int port() const;
  void start();
  void stop();  ///< no event comes after it has returned; may be called twice

  void send(int client, Bytes text);
  void send_to_all(Bytes text);
  /// What is seen now, one a body, to everybody. A client that is behind gets the last of them once it can take it. With
  /// `in_order` they come after all texts sent before; otherwise they may overtake some.
  void send_frames(std::vector<Bytes> frames, bool in_order = false);
  void send_frames_to(int client, std::vector<Bytes> frames);

  NetworkCounts counts() const;
  double cpu_seconds() const;  ///< of the network's thread so far

 private:
  std::unique_ptr<NetworkState> state_;
};

}  // namespace pliant::server

#pragma once
// A viewer without a screen, and a browser without a page.
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pliant::testing_support {

using Json = nlohmann::ordered_json;

/// Whatever is waited for comes quickly, or the machine is busy: then it may take so long.
inline constexpr double deadline = 60;  // seconds

struct ReceivedFrame {
  std::uint32_t kind = 0, version = 0, count = 0;
  std::uint16_t body = 0, flags = 0;
  double time = 0;
  std::vector<float> numbers;         ///< kind 1: coordinates; else low corner and step
  std::vector<std::uint16_t> points;  ///< kinds 2 and 3
};

struct ClientOptions {
  std::string host = "127.0.0.1", origin = "", path = "/ws";
  bool slow = false;  ///< a small buffer, and nothing is read before it is asked for
};

class LoopbackClient {
 public:
  explicit LoopbackClient(int port, const ClientOptions& options = {});
  ~LoopbackClient();  ///< abruptly, without a word
  LoopbackClient(LoopbackClient&&) noexcept;

  bool connected() const;  ///< the handshake was accepted
  int handshake_status() const;

  void send(const Json& message);
  void send_text(const std::string& text);
  void send_binary(const std::string& bytes);

  /// The next message of this type for which the condition holds; others of the type are passed over. Fails the test (and
  /// returns null) where none comes.
  Json wait_for(const std::string& type, const std::function<bool(const Json&)>& holds = {});
  /// Likewise a frame.
  ReceivedFrame wait_for_frame(const std::function<bool(const ReceivedFrame&)>& holds = {});
  const ReceivedFrame& last_frame() const;  ///< that was waited for
  /// Reads what comes for so long.
  void read_for(double seconds);
  std::size_t frames_received() const;

  /// Waits until the server closes; its code.
  int wait_for_close();
  std::string close_reason() const;
  void close();  ///< politely

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct HttpReply {
  int status = 0;
  std::string body, type;
};
struct HttpOptions {
  std::string method = "GET", host = "127.0.0.1", origin = "", body = "";
};
HttpReply http(int port, const std::string& target, const HttpOptions& options = {});

/// Sends these bytes as they are, and returns what comes until the server closes, or some of it.
std::string raw(int port, const std::string& bytes);

}  // namespace pliant::testing_support

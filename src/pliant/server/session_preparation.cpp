// What takes longer than a step: other models, other scenes, the full simulation beside, files.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/io/letter_case.h"
#include "pliant/scene/lone_body.h"
#include "pliant/server/session.h"

namespace pliant::server {

void Session::prepare(const std::string& what, Background::Work work) {
  preparation_.start(std::move(work));
  preparing_ = what;
  next_progress_ = {};
}

void Session::on(int, const Rebuild& rebuild_words) {
  const std::size_t b = checked_body(rebuild_words.body);
  const Json* words = stage_->words(b);
  if (!words)
    throw InputError("rebuild: a model does not say what its body is made of; expected a mesh or a shape");
  Json wanted = rebuilt_words(*words, rebuild_words.method, rebuild_words.parameters);
  std::shared_ptr<const Recorder> motion;
  if (asks_for_motion(wanted)) {
    end_recording();
    motion = motion_;
    if (!motion && wanted["simulator"]["snapshots"].get<std::string>().empty())
      throw InputError("rebuild: no motion was recorded; expected a recording first, of some seconds");
  }
  // A file of its own each time: the words of the body now name the one before.
  const std::filesystem::path file = scratch_.path() / fmt::format("motion_{}_{}.safetensors", b, version_);
  if (motion) wanted["simulator"]["snapshots"] = file.string();
  prepare("rebuild", [this, b, wanted, motion, file, stage = stage_](const Progress& progress) {
    if (motion) motion->write_motion(b, file);
    auto made = std::make_shared<RebuiltBody>(rebuild(wanted, stage->folder(), progress));
    return Background::Finish([this, b, wanted, stage, made] {
      if (stage != stage_) return;
      end_recording();
      end_specials();
      for (const int one : std::vector<int>(clients_)) end_pulls(one);
      stage_->replace(b, std::move(made->body), wanted, made->drawn, made->data);
      modes_.erase(b);
      ghost_surfaces_.clear();
      if (ghost_) {
        ghost_.reset(), ghost_error_.reset();
        switches_.ghost = false;
      }
      announce_scene();
    });
  });
  if (motion) hidden_path_ = scratch_.path().string() + "/";
}

void Session::on(int, const GhostSwitch& ghost) {
  if (!ghost.on) {
    ghost_.reset(), ghost_surfaces_.clear(), ghost_error_.reset();
    switches_.ghost = false;
    state_changed_ = dirty_ = true;
    return;
  }
  if (ghost_ || switches_.ghost) return;
  std::vector<Json> words;
  for (std::size_t b = 0; b < stage_->size(); ++b) {
    if (!stage_->words(b))
      throw InputError("ghost: a model does not say what its body is made of; expected a mesh or a shape");
    words.push_back(*stage_->words(b));
  }
  prepare("ghost", [this, words, stage = stage_](const Progress& progress) {
    auto made = std::make_shared<Ghost>(words, stage->folder(), progress);
    return Background::Finish([this, stage, made] {
      if (stage != stage_ || !switches_.ghost) return;  // it is not wanted any more
      ghost_ = made;
      ghost_->start(*stage_);
      ghost_surfaces_.assign(stage_->size(), {});
      for (std::size_t b = 0; b < stage_->size(); ++b)
        ghost_->surface(b, stage_->drawn(b), ghost_surfaces_[b]);
      ghost_error_ = GhostError();
      dirty_ = true;
    });
  });
  switches_.ghost = state_changed_ = true;
}

// === Recording

void Session::on(int, const Record& record) {
  if (record.on == (recorder_ != nullptr)) return;
  if (!record.on) {
    end_recording();
    return;
  }
  recorder_ = std::make_shared<Recorder>(*stage_);
  recorder_->add(*stage_);
  switches_.recording = state_changed_ = true;
}

void Session::end_recording() {
  if (!recorder_) return;
  recorded_ = std::exchange(recorder_, nullptr);
  motion_ = recorded_;
  switches_.recording = false, state_changed_ = true;
}

void Session::write_recording() {
  if (!recorded_ || preparation_.busy()) return;
  prepare("recording", [this, made = std::exchange(recorded_, nullptr)](const Progress& progress) {
    const Recorder::Files files = made->write(scratch_.path(), progress);
    return Background::Finish([this, made, files] {
      shelf_.put("/recording.glb", files.glb);
      shelf_.put("/recording.pc2", files.pc2);
      shelf_.put("/recording.obj", files.obj);
      send_to_all({{"type", "recorded"},
                   {"frames", made->frames()},
                   {"seconds", made->seconds()},
                   {"files", {"/recording.glb", "/recording.pc2", "/recording.obj"}}});
    });
  });
}

// === Other scenes

void Session::on(int, const OpenShape& open_words) {
  const auto& all = shapes();
  if (std::none_of(all.begin(), all.end(),
                   [&](const ShapeInfo& shape) { return shape.name == open_words.shape; }))
    throw InputError(fmt::format("open: there is no shape {}", open_words.shape));
  open(open_words.shape, nullptr);
}

void Session::on(int, const Upload& upload) { open(upload.name, upload.bytes); }

void Session::open(const std::string& name, Bytes bytes) {
  // These may name other files, and what comes from a viewer may not read any.
  std::filesystem::path plain(name);
  if (lower_case(plain.extension().string()) == ".gz") plain = plain.stem();
  const std::string kind = lower_case(plain.extension().string());
  if (bytes && (kind == ".gltf" || kind == ".veg" || kind == ".pvd"))
    throw InputError(fmt::format(
        "{}: a {} file may name others; expected one that stands alone, as .glb or .obj", name, kind));
  const auto files = bytes ? std::make_shared<ScratchFolder>() : nullptr;
  prepare(name, [this, name, bytes, files, tets = options_.tets](const Progress& progress) {
    std::filesystem::path folder;
    if (files) {
      folder = files->path();
      std::ofstream file(folder / name, std::ios::binary);
      file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
      if (!file.flush()) throw Error(fmt::format("{}: cannot be kept; is the disk full?", name));
    }
    report(progress, "reading", 0);
    auto scene =
        std::make_shared<Scene>(lone_scene(lone_body_words(name, folder, tets), folder, true, progress));
    auto stage = std::make_shared<Stage>(std::move(scene), name);
    return Background::Finish([this, stage, files] { show(stage, files); });
  });
  hidden_path_ = files ? files->path().string() + "/" : "";
}

}  // namespace pliant::server

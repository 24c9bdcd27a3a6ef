#pragma once

#include <QPointer>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "panels/inspector/tile_images.h"

class QOpenGLContext;

namespace headroom {

/// Textures of tiles and pictures, up to a number of bytes; those that were drawn longest ago go
/// first. Call with the canvas' OpenGL context current.
class GlTileImages : public TileImages {
  public:
    explicit GlTileImages(size_t byte_limit);

    void* image(const ImageKey& key, const MapTile& tile, const MapInfo& info,
                const ColorScale& scale, bool dark) override;
    void* picture(uint64_t source, const SquarePicture& picture, bool grey) override;
    void* flat(Rgb colour) override;
    void begin_opaque(ImDrawList& list) override;
    void end_opaque(ImDrawList& list) override;
    /// Lets go of what was not drawn lately, above the limit.
    void end_frame();
    void clear();
    size_t bytes() const { return bytes_; }

  private:
    struct Texture {
        unsigned name = 0;
        ColorScale scale;
        bool dark = false;
        size_t bytes = 0;
        uint64_t frame = 0;
    };
    /// Textures go with their context, such as when a dock is torn off.
    void follow_context();
    template <class Textures>
    bool drop_oldest(Textures& textures);

    size_t byte_limit_;
    size_t bytes_ = 0;
    uint64_t frame_ = 0;
    std::map<ImageKey, Texture> textures_;
    std::map<uint32_t, unsigned> flats_;                     ///< by colour
    std::map<std::pair<uint64_t, bool>, Texture> pictures_;  ///< by source, and whether in greys
    QPointer<QOpenGLContext> context_;
};

}  // namespace headroom

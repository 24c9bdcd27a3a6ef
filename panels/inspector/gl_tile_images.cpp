#include "panels/inspector/gl_tile_images.h"

#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <algorithm>
#include <vector>

#include <imgui.h>

#include "panels/inspector/picture_attention.h"
#include "panels/inspector/tile_colors.h"

namespace headroom {

GlTileImages::GlTileImages(size_t byte_limit) : byte_limit_(byte_limit) {}

void GlTileImages::follow_context() {
    QOpenGLContext* current = QOpenGLContext::currentContext();
    if (context_ == current) return;
    textures_.clear();
    pictures_.clear();
    flats_.clear();
    bytes_ = 0;
    context_ = current;
}

static unsigned make_texture(QOpenGLFunctions& gl) {
    unsigned name = 0;
    gl.glGenTextures(1, &name);
    gl.glBindTexture(GL_TEXTURE_2D, name);
    for (const auto filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
        gl.glTexParameteri(GL_TEXTURE_2D, static_cast<GLenum>(filter), GL_NEAREST);
    for (const auto wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
        gl.glTexParameteri(GL_TEXTURE_2D, static_cast<GLenum>(wrap), GL_CLAMP_TO_EDGE);
    return name;
}

/// What ImGui takes for a picture.
static void* image_of(unsigned name) {
    const auto number = static_cast<intptr_t>(name);
    return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

void* GlTileImages::image(const ImageKey& key, const MapTile& tile, const MapInfo& info,
                          const ColorScale& scale, bool dark) {
    follow_context();
    Texture& texture = textures_[key];
    texture.frame = frame_;
    if (texture.name == 0 || texture.scale != scale || texture.dark != dark) {
        QOpenGLFunctions& gl = *context_->functions();
        if (texture.name == 0)
            texture.name = make_texture(gl);
        else
            gl.glBindTexture(GL_TEXTURE_2D, texture.name);
        const std::vector<uint32_t> pixels = tile_pixels(tile, info, scale, dark);
        gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        gl.glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(tile.box.columns),
                        static_cast<GLsizei>(tile.box.rows), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                        pixels.data());
        bytes_ += pixels.size() * sizeof(uint32_t) - texture.bytes;
        texture.bytes = pixels.size() * sizeof(uint32_t);
        texture.scale = scale;
        texture.dark = dark;
    }
    return image_of(texture.name);
}

void* GlTileImages::picture(uint64_t source, const SquarePicture& picture, bool grey) {
    follow_context();
    Texture& texture = pictures_[{source, grey}];
    texture.frame = frame_;
    if (texture.name == 0) {
        const auto side = static_cast<GLsizei>(picture.side);
        texture.name = make_texture(*context_->functions());
        context_->functions()->glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        context_->functions()->glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, side, side, 0, GL_RGB,
                                            GL_UNSIGNED_BYTE,
                                            (grey ? in_greys(picture) : picture).pixels.data());
        texture.bytes = picture.pixels.size();
        bytes_ += texture.bytes;
    }
    return image_of(texture.name);
}

void* GlTileImages::flat(Rgb colour) {
    follow_context();
    const uint32_t pixel = static_cast<uint32_t>(colour.r) | static_cast<uint32_t>(colour.g) << 8 |
                           static_cast<uint32_t>(colour.b) << 16 | 0xff000000u;
    unsigned& name = flats_[pixel];
    if (name == 0) {
        QOpenGLFunctions& gl = *context_->functions();
        name = make_texture(gl);
        gl.glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, &pixel);
    }
    return image_of(name);
}

/// Mixing costs as much again as drawing, in software rendering.
void GlTileImages::begin_opaque(ImDrawList& list) {
    list.AddCallback(
        [](const ImDrawList*, const ImDrawCmd*) {
            QOpenGLContext::currentContext()->functions()->glDisable(GL_BLEND);
        },
        nullptr);
}

void GlTileImages::end_opaque(ImDrawList& list) {
    list.AddCallback(
        [](const ImDrawList*, const ImDrawCmd*) {
            QOpenGLContext::currentContext()->functions()->glEnable(GL_BLEND);
        },
        nullptr);
}

/// Of textures, the one that was drawn longest ago goes, unless it was drawn now.
template <class Textures>
bool GlTileImages::drop_oldest(Textures& textures) {
    const auto oldest = std::min_element(
        textures.begin(), textures.end(),
        [](const auto& a, const auto& b) { return a.second.frame < b.second.frame; });
    if (oldest == textures.end() || oldest->second.frame == frame_) return false;
    context_->functions()->glDeleteTextures(1, &oldest->second.name);
    bytes_ -= oldest->second.bytes;
    textures.erase(oldest);
    return true;
}

void GlTileImages::end_frame() {
    follow_context();
    while (bytes_ > byte_limit_ && (drop_oldest(textures_) || drop_oldest(pictures_))) continue;
    ++frame_;
}

void GlTileImages::clear() {
    if (context_ && context_ == QOpenGLContext::currentContext())
        for (const auto& [key, texture] : textures_)
            context_->functions()->glDeleteTextures(1, &texture.name);
    if (context_ && context_ == QOpenGLContext::currentContext())
        for (const auto& [source, texture] : pictures_)
            context_->functions()->glDeleteTextures(1, &texture.name);
    if (context_ && context_ == QOpenGLContext::currentContext())
        for (const auto& [colour, name] : flats_) context_->functions()->glDeleteTextures(1, &name);
    flats_.clear();
    pictures_.clear();
    textures_.clear();
    bytes_ = 0;
}

}  // namespace headroom

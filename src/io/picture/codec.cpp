// PNG and JPEG.
#include "io/picture/picture.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>  // before jpeglib, which needs it
#include <cstdlib>
#include <cstring>

#include <jpeglib.h>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr size_t most_pixels = size_t{1} << 26U;

void check_size(size_t width, size_t height, const std::string& where) {
    require(width > 0 && height > 0 && width <= most_pixels / height, where, ": expected a picture of 1 to ",
            most_pixels, " pixels, found ", width, " x ", height);
}

Picture read_png(std::span<const unsigned char> bytes, const std::string& where) {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    const auto refuse = [&] {
        const std::string why = image.message;
        png_image_free(&image);
        throw InvalidInput(concat(where, ": expected a whole PNG picture, found a broken one (", why, ")"));
    };
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
        refuse();
    }
    image.format = PNG_FORMAT_RGBA;
    if (image.height != 0 && image.width > most_pixels / image.height) {
        png_image_free(&image);
    }
    check_size(image.width, image.height, where);
    Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    picture.rgba.resize(PNG_IMAGE_SIZE(image));
    if (png_image_finish_read(&image, nullptr, picture.rgba.data(), 0, nullptr) == 0) {
        refuse();
    }
    return picture;
}

/// libjpeg leaves by a jump where it fails. Nothing with a destructor is made between the jump's
/// two ends.
struct JpegErrors {
    jpeg_error_mgr manager = {};
    std::jmp_buf back = {};
    char message[JMSG_LENGTH_MAX] = {};

    JpegErrors() {
        jpeg_std_error(&manager);
        manager.error_exit = [](j_common_ptr state) {
            auto* errors = reinterpret_cast<JpegErrors*>(state->err);
            state->err->format_message(state, errors->message);
            std::longjmp(errors->back, 1);  // NOLINT: how libjpeg reports
        };
        manager.output_message = [](j_common_ptr) {};
    }
};

bool decode_jpeg(std::span<const unsigned char> bytes, Picture& picture, JpegErrors& errors) {
    jpeg_decompress_struct jpeg = {};
    jpeg.err = &errors.manager;
    if (setjmp(errors.back) != 0) {  // NOLINT
        jpeg_destroy_decompress(&jpeg);
        return false;
    }
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes.data(), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    if (jpeg.image_height == 0 || jpeg.image_width > most_pixels / jpeg.image_height) {
        std::snprintf(errors.message, sizeof errors.message, "%u x %u pixels", jpeg.image_width, jpeg.image_height);
        jpeg_destroy_decompress(&jpeg);
        return false;
    }
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&jpeg);
    picture.width = static_cast<int>(jpeg.output_width);
    picture.height = static_cast<int>(jpeg.output_height);
    picture.rgba.resize(4 * static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height));
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = picture.at(0, static_cast<int>(jpeg.output_scanline));
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return true;
}

}  // namespace

Picture read_picture(std::span<const unsigned char> bytes, const std::string& where) {
    if (bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0) {
        return read_png(bytes, where);
    }
    if (bytes.size() >= 3 && std::memcmp(bytes.data(), "\xFF\xD8\xFF", 3) == 0) {
        Picture picture;
        JpegErrors errors;
        if (!decode_jpeg(bytes, picture, errors)) {
            throw InvalidInput(
                concat(where, ": expected a whole JPEG picture, found a broken one (", errors.message, ")"));
        }
        return picture;
    }
    throw InvalidInput(concat(where, ": expected a PNG or JPEG picture, found something else"));
}

std::vector<unsigned char> write_png(const Picture& picture) {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::vector<unsigned char> bytes(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgba.data(), 0, nullptr) == 0) {
        throw IoError(concat("png: libpng cannot pack ", picture.width, " x ", picture.height, " pixels (",
                             std::string(image.message), ")"));
    }
    bytes.resize(size);
    return bytes;
}

std::vector<unsigned char> write_png16(int width, int height, int channels, const std::vector<std::uint16_t>& numbers) {
    struct Out {
        std::vector<unsigned char> bytes;
        std::string message;
    } out;
    std::vector<unsigned char> row(2 * static_cast<size_t>(width) * static_cast<size_t>(channels));
    png_structp png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, &out,
        [](png_structp state, png_const_charp message) {
            static_cast<Out*>(png_get_error_ptr(state))->message = message;
            png_longjmp(state, 1);
        },
        nullptr);
    png_infop facts = png != nullptr ? png_create_info_struct(png) : nullptr;
    if (facts == nullptr || setjmp(png_jmpbuf(png)) != 0) {  // NOLINT
        png_destroy_write_struct(&png, &facts);
        throw IoError(concat("png: libpng cannot pack ", width, " x ", height, " pixels (", out.message, ")"));
    }
    png_set_write_fn(
        png, &out,
        [](png_structp state, png_bytep data, png_size_t count) {
            std::vector<unsigned char>& bytes = static_cast<Out*>(png_get_io_ptr(state))->bytes;
            bytes.insert(bytes.end(), data, data + count);
        },
        nullptr);
    png_set_IHDR(png, facts, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 16,
                 channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 3);
    png_set_filter(png, 0, PNG_FILTER_SUB);
    png_write_info(png, facts);
    const std::uint16_t* from = numbers.data();
    for (int y = 0; y < height; ++y) {
        for (size_t i = 0; i < row.size(); i += 2) {  // most significant byte first
            row[i] = static_cast<unsigned char>(*from >> 8U);
            row[i + 1] = static_cast<unsigned char>(*from & 0xFFU);
            ++from;
        }
        png_write_row(png, row.data());
    }
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &facts);
    return std::move(out.bytes);
}

std::vector<unsigned char> write_jpeg(const Picture& picture, int quality, bool are_numbers) {
    JpegErrors errors;
    jpeg_compress_struct jpeg = {};
    jpeg.err = &errors.manager;
    unsigned char* packed = nullptr;
    unsigned long size = 0;
    if (setjmp(errors.back) != 0) {  // NOLINT
        jpeg_destroy_compress(&jpeg);
        std::free(packed);
        throw IoError(concat("jpeg: ", std::string(errors.message)));
    }
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &packed, &size);
    jpeg.image_width = static_cast<JDIMENSION>(picture.width);
    jpeg.image_height = static_cast<JDIMENSION>(picture.height);
    jpeg.input_components = 4;
    jpeg.in_color_space = JCS_EXT_RGBA;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    if (are_numbers) {
        jpeg.comp_info[0].h_samp_factor = 1;
        jpeg.comp_info[0].v_samp_factor = 1;
    }
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = const_cast<unsigned char*>(picture.at(0, static_cast<int>(jpeg.next_scanline)));
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::vector<unsigned char> bytes(packed, packed + size);
    std::free(packed);
    return bytes;
}

}  // namespace cutis

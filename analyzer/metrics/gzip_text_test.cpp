// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/gzip_text.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace sanscope {
namespace {

std::string inflated(std::string bytes, size_t size) {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    std::string out(size + 1, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

TEST(GzipText, says_the_same) {
    std::string text = "# EOF\n";
    for (int i = 0; i < 10'000; ++i) text += std::to_string(i * 7919) + "\n";
    for (const std::string& one : {std::string(), std::string("x"), text})
        EXPECT_EQ(inflated(gzip_text(one), one.size()), one);
    EXPECT_LT(gzip_text(text).size(), text.size());
}

}  // namespace
}  // namespace sanscope

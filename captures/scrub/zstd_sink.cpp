// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/zstd_sink.h"

#include <zstd.h>

namespace sanscope {

ZstdSink::ZstdSink(ByteSink& to) : to_(to), context_(ZSTD_createCCtx()), out_(ZSTD_CStreamOutSize()) {
    if (context_ != nullptr) ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
}

ZstdSink::~ZstdSink() {
    ZSTD_freeCCtx(context_);
}

bool ZstdSink::compress(std::span<const char> bytes, bool end) {
    ok_ = ok_ && context_ != nullptr;
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool done = false; ok_ && !done;) {
        ZSTD_outBuffer out{out_.data(), out_.size(), 0};
        const size_t left = ZSTD_compressStream2(context_, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0) {
            own_error_ = {std::string("cannot be compressed: ") + ZSTD_getErrorName(left)};
            ok_ = false;
            break;
        }
        ok_ = to_.write({out_.data(), out.pos});
        done = end ? left == 0 : in.pos == in.size;
    }
    return ok_;
}

const Error* ZstdSink::error() const {
    return own_error_.message.empty() ? to_.error() : &own_error_;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/analysis.h"

#include <memory>
#include <mutex>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <vector>

namespace sanscope {
namespace {

struct Token {
    PacketBatch batch;
    std::vector<DecodedPacket> decoded;
};

bool is_stopped(const AnalysisOptions& options) {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

void process(Token& token, Engine& engine, const AnalysisOptions& options) {
    engine.process(token.batch, token.decoded);
    if (options.progress) options.progress();
}

bool analyse_in_turn(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    Token token;
    while (!is_stopped(options) && source.claim(token.batch)) {
        source.load(token.batch);
        source.parse(token.batch);
        decode_batch(token.batch, token.decoded);
        process(token, engine, options);
    }
    return !is_stopped(options);
}

// What depends on order (finding packets, following streams) is done by one thread at a time, in order; what does not
// (copying bytes in, decoding) by any, at once.
bool analyse_in_parallel(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    const size_t tokens_in_flight = options.threads * size_t{2};
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, options.threads);
    std::vector<std::unique_ptr<Token>> made;
    std::vector<Token*> free;
    std::mutex free_mutex;
    for (size_t i = 0; i < tokens_in_flight; ++i) {
        made.push_back(std::make_unique<Token>());
        free.push_back(made.back().get());
    }

    constexpr auto in_order = tbb::filter_mode::serial_in_order;
    constexpr auto at_once = tbb::filter_mode::parallel;
    const auto claim = [&](tbb::flow_control& control) -> Token* {
        Token* token = nullptr;
        {
            const std::lock_guard lock(free_mutex);
            token = free.back();
            free.pop_back();
        }
        if (is_stopped(options) || !source.claim(token->batch)) control.stop();
        return token;
    };
    const auto load = [&](Token* token) {
        source.load(token->batch);
        return token;
    };
    const auto parse = [&](Token* token) {
        source.parse(token->batch);
        return token;
    };
    const auto decode = [&](Token* token) {
        decode_batch(token->batch, token->decoded);
        return token;
    };
    const auto finish = [&](Token* token) {
        process(*token, engine, options);
        const std::lock_guard lock(free_mutex);
        free.push_back(token);
    };
    tbb::parallel_pipeline(tokens_in_flight, tbb::make_filter<void, Token*>(in_order, claim) &
                                                 tbb::make_filter<Token*, Token*>(at_once, load) &
                                                 tbb::make_filter<Token*, Token*>(in_order, parse) &
                                                 tbb::make_filter<Token*, Token*>(at_once, decode) &
                                                 tbb::make_filter<Token*, void>(in_order, finish));
    return !is_stopped(options);
}

}  // namespace

bool analyse(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    const bool whole = options.threads > 1 ? analyse_in_parallel(source, engine, options)
                                           : analyse_in_turn(source, engine, options);
    engine.finish();
    return whole;
}

}  // namespace sanscope

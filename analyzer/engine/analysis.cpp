// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/analysis.h"

#include <memory>
#include <mutex>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <vector>

#include "analyzer/base/hand_over.h"

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

void analyse_in_turn(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    Token token;
    while (!is_stopped(options) && source.claim(token.batch)) {
        source.load(token.batch);
        source.parse(token.batch);
        decode_batch(token.batch, token.decoded);
        process(token, engine, options);
    }
}

// What depends on order (finding packets, following streams) is done by one thread at a time, in order; what does not
// (copying bytes in, decoding) by any, at once.
class Pipeline {
  public:
    Pipeline(PacketSource& source, Engine& engine, const AnalysisOptions& options)
        : source_(source), engine_(engine), options_(options), tokens_(options.threads * size_t{2}) {
        for (Token& token : tokens_) free_.push_back(&token);
    }

    void run() {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, options_.threads);
        constexpr auto in_order = tbb::filter_mode::serial_in_order;
        constexpr auto at_once = tbb::filter_mode::parallel;
        for (Token& token : tokens_) pass_on(&token);
        for (Stage* stage : {&claim_, &parse_, &process_}) pass_on(stage);
        tbb::parallel_pipeline(
            tokens_.size(),
            tbb::make_filter<void, Token*>(in_order,
                                           [&](tbb::flow_control& control) { return claim(control); }) &
                tbb::make_filter<Token*, Token*>(at_once, [&](Token* token) { return load(token); }) &
                tbb::make_filter<Token*, Token*>(in_order, [&](Token* token) { return parse(token); }) &
                tbb::make_filter<Token*, Token*>(at_once, [&](Token* token) { return decode(token); }) &
                tbb::make_filter<Token*, void>(in_order, [&](Token* token) { finish(token); }));
        const std::lock_guard lock(free_mutex_);
        for (Token& token : tokens_) take_over(&token);
        for (Stage* stage : {&claim_, &parse_, &process_}) take_over(stage);
    }

  private:
    // What one thread at a time is in: stands for the state that the stage works on.
    struct Stage {
        char address;
    };

    Token* claim(tbb::flow_control& control) {
        Token* token = nullptr;
        {
            const std::lock_guard lock(free_mutex_);
            token = free_.back();
            free_.pop_back();
        }
        take_over(&claim_);
        if (is_stopped(options_) || !source_.claim(token->batch)) control.stop();
        pass_on(&claim_);
        pass_on(token);
        return token;
    }
    Token* load(Token* token) {
        take_over(token);
        source_.load(token->batch);
        pass_on(token);
        return token;
    }
    Token* parse(Token* token) {
        take_over(token);
        take_over(&parse_);
        source_.parse(token->batch);
        pass_on(&parse_);
        pass_on(token);
        return token;
    }
    Token* decode(Token* token) {
        take_over(token);
        decode_batch(token->batch, token->decoded);
        pass_on(token);
        return token;
    }
    void finish(Token* token) {
        take_over(token);
        take_over(&process_);
        process(*token, engine_, options_);
        pass_on(&process_);
        pass_on(token);
        const std::lock_guard lock(free_mutex_);
        free_.push_back(token);
    }

    PacketSource& source_;
    Engine& engine_;
    const AnalysisOptions& options_;
    std::vector<Token> tokens_;
    std::vector<Token*> free_;
    std::mutex free_mutex_;
    Stage claim_{}, parse_{}, process_{};
};

}  // namespace

bool analyse(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    if (options.threads > 1) {
        Pipeline(source, engine, options).run();
    } else {
        analyse_in_turn(source, engine, options);
    }
    engine.finish();
    return !is_stopped(options);
}

}  // namespace sanscope

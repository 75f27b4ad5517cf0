// SPDX-License-Identifier: GPL-3.0-or-later

// Writes a long capture made from a sample: see CaptureMaker.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>

#include "analyzer/bench/capture_likeness.h"
#include "analyzer/bench/capture_maker.h"

int main(int argc, char** argv) {
    using namespace sanscope;  // NOLINT(google-build-using-namespace)
    CLI::App app(
        "Writes a capture for measuring: the conversations of a sample repeated, with other hosts, ports and "
        "times.");
    std::string like = "full";
    std::string samples = SANSCOPE_SAMPLES;
    std::string output = "-";
    CaptureMaker::Shape shape;
    uint64_t packets = 0;
    std::vector<std::string> names;
    for (const CaptureLikeness& likeness : capture_likenesses) names.emplace_back(likeness.name);
    app.add_option("--like", like,
                   "full: 1.5 KB frames; header-only: 128 bytes a packet; small-io: 4 KiB reads")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    app.add_option("--packets", packets, "How many (default: a million, or five of header-only)");
    app.add_option("--connections", shape.connections, "How many at once")
        ->capture_default_str()
        ->check(CLI::Range(1, 4096));
    app.add_option("--snap", shape.snap_length, "Bytes kept of each packet (default: all)")
        ->check(CLI::Range(54, 262144));
    app.add_option("--samples", samples, "Folder of the samples")->capture_default_str();
    app.add_option("OUT", output, "Where to; - is standard output")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const CaptureLikeness& likeness = *find_likeness(like);
    if (packets == 0) packets = likeness.packets;
    shape.sample = fmt::format("{}/{}", samples, likeness.sample);
    const auto maker = CaptureMaker::make(shape);
    if (!maker) {
        fmt::print(stderr, "make_capture: {}: {}\n", shape.sample, maker.error().message);
        return 1;
    }
    std::FILE* file = output == "-" ? stdout : std::fopen(output.c_str(), "wb");
    if (file == nullptr) {
        std::perror(output.c_str());
        return 1;
    }
    std::setvbuf(file, nullptr, _IONBF, 0);
    const bool whole = maker->write(packets, [&](std::span<const uint8_t> bytes) {
        return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    });
    if (!whole || std::fclose(file) != 0) {
        std::perror(output.c_str());
        return 1;
    }
    return 0;
}

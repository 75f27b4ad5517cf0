// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/vocabulary/decode_as.h"

namespace sanscope {

// The sole owner of libwireshark, whose headers end here: packets in, protocol trees and filter matches out, in the
// messages that travel between processes.
//
// libwireshark holds all its state in the process, works in one thread, and may end the process when a dissector breaks
// its own rules. So there is one bridge a process, for good, and that process is to be one that may die (dissectd/).
//
// What a packet's tree says rests on the packets dissected before it. It is enough to feed those of its own
// conversation, in order and with their real numbers. Conversations may be fed one after the other. A packet that was
// fed already is dissected again when asked for, and then may refer to later ones too, as in Wireshark's window.
class EpanBridge {
  public:
    struct Options {
        std::string program_path;  // argv[0]
        std::vector<std::string>
            preferences;      // "tcp.reassemble_out_of_order:TRUE", over those of the profile
        DecodeAs decode_as;   // over what the profile says of those ports
        std::string profile;  // of the user's Wireshark; empty: the default one
    };
    // Takes the user's Wireshark preferences, enabled protocols and plugins as they are, and writes nothing. An Error
    // where a preference or profile is none.
    static Result<std::unique_ptr<EpanBridge>> start(const Options& options);
    ~EpanBridge();

    static std::string wireshark_version();
    // Files and folders that dissectors may read late: Wireshark's data, the user's settings, and what these name. Once
    // started.
    static std::vector<std::string> files_it_reads();

    void open(const v1::OpenCapture& capture);
    v1::Done add(const v1::AddSections& sections);
    v1::Done feed(const v1::FeedPackets& packets);
    Result<v1::PacketTree> describe(const v1::DescribePacket& request);
    static v1::FilterCheck check(const std::string& filter);
    // An Error where the filter is not valid.
    Result<v1::FilterMatches> run(const v1::RunFilter& request);
    v1::FieldNames complete(const v1::CompleteField& request);

  private:
    EpanBridge();

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sanscope

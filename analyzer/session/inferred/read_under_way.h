// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// Of the target's latest PDU that was seen: the read whose data go on behind it, and how much of them is to come. A
// run of unseen bytes begins with the rest of that read, unless the target mixes the Data-In PDUs of several.
class ReadUnderWay {
  public:
    // An answer of that command (0: unknown) was seen. `data_in_of`: the bytes of read data that passed and that are
    // expected of a command.
    template <class DataInOf>
    void on_answer(const Bhs& bhs, uint64_t command, DataInOf data_in_of) {
        const bool data = bhs.opcode() == Opcode::scsi_data_in;
        if (data && command_ != 0 && command_ != command && left_ > 0) interleaves_ = true;
        if (data || bhs.opcode() == Opcode::scsi_response) end();
        if (!data || bhs.has_status() || command == 0) return;
        const auto [passed, expected] = data_in_of(command);
        command_ = command;
        itt_ = bhs.itt();
        left_ = expected - std::min<uint32_t>(passed, expected);
        passed_ = passed;
    }
    void end() { command_ = 0; }

    bool any() const { return command_ != 0; }
    uint64_t command() const { return command_; }
    uint32_t itt() const { return itt_; }
    uint32_t left() const { return left_; }  // bytes of data
    uint32_t passed() const { return passed_; }
    // The PDUs of several reads were seen to be mixed.
    bool interleaves() const { return interleaves_; }

  private:
    uint64_t command_ = 0;  // 0: none; the next three are its
    uint32_t itt_ = 0;
    uint32_t left_ = 0;
    uint32_t passed_ = 0;
    bool interleaves_ = false;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/helper_process.h"
#include "analyzer/base/result.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {

// The recorder of another host, at the other end of ssh. When this goes, the connection is closed, and the recorder
// ends.
class SshConnection {
  public:
    // ssh asks for passwords and about host keys on the terminal itself; nothing of that is seen here. An Error where
    // it cannot be started; whatever else stands against it shows as an end.
    static Result<std::unique_ptr<SshConnection>> start(const v1::RemoteHost& remote);
    SshConnection(const SshConnection&) = delete;
    SshConnection& operator=(const SshConnection&) = delete;
    ~SshConnection();

    bool send(const v1::RecorderCommand& command);
    // Readable when read() and read_errors() have something to do; -1 where nothing comes any more.
    int output() const { return helper_.output.get(); }
    int errors() const { return helper_.errors.get(); }

    enum class Outcome : uint8_t {
        more,     // may come
        ended,    // how_it_ended() says
        garbage,  // these are no events
    };
    // Gives the events that have come.
    Outcome read(const std::function<void(const v1::RecordingEvent&)>& take);
    void read_errors();

    // Nothing is wanted from there any more, though it may still be waiting for somebody to log in.
    void give_up();

    // Once it has ended: a sentence for the user. `begun`: events had come.
    std::string how_it_ended(bool begun);

  private:
    SshConnection(HelperProcess helper, std::string host);
    // False: it goes on.
    bool wait(int milliseconds);

    HelperProcess helper_;
    std::string host_;
    MessageDecoder decoder_;
    std::string said_;  // by ssh, the end of it
    int status_ = 0;
};

}  // namespace sanscope

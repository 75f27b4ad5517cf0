// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/file_events.h"

#include <utility>

#include "analyzer/base/utf8.h"

namespace sanscope {

v1::RecordingEvent file_begun_event(std::string path, uint32_t number) {
    v1::RecordingEvent event;
    event.mutable_file_begun()->set_path(std::move(path));
    event.mutable_file_begun()->set_number(number);
    return event;
}

v1::RecordingEvent file_ended_event(std::string path, uint64_t packets, uint64_t bytes) {
    v1::RecordingEvent event;
    event.mutable_file_ended()->set_path(std::move(path));
    event.mutable_file_ended()->set_packets(packets);
    event.mutable_file_ended()->set_bytes(bytes);
    return event;
}

v1::RecordingEvent output_failed_event(std::string_view message) {
    v1::RecordingEvent event;
    event.mutable_trouble()->set_kind(v1::RecordingTrouble::OUTPUT);
    event.mutable_trouble()->set_message(cleaned_text(message));  // a file may be called by any bytes
    event.mutable_trouble()->set_fatal(true);
    return event;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one place that knows what has changed in Wireshark's API from version 4.0 on: all else is written against what is
// declared here. What counts is the version of the headers (ws_version.h), which is that of the library a build is for.

#include <ws_version.h>

#define SANSCOPE_WIRESHARK_SINCE(major, minor) \
    (WIRESHARK_VERSION_MAJOR > (major) ||      \
     (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

// From 4.2 on the headers rest on this one without including it.
#if SANSCOPE_WIRESHARK_SINCE(4, 2)
#include <wireshark.h>
#else
#include <glib.h>
#endif

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <epan/dfilter/dfilter.h>
#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/frame_data.h>
#include <epan/packet.h>
#include <epan/proto.h>
#include <string>
#include <vector>
#include <wiretap/wtap.h>
#include <wsutil/buffer.h>
#include <wsutil/filesystem.h>
#if SANSCOPE_WIRESHARK_SINCE(4, 4)
#include <wsutil/plugins.h>
#endif
#include <wsutil/wslog.h>

namespace sanscope::wireshark {

// ---- Fields

// A field's value became a pointer in 4.2.
inline const fvalue_t* value_of(const field_info& field) {
#if SANSCOPE_WIRESHARK_SINCE(4, 2)
    return field.value;
#else
    return &field.value;
#endif
}

// `label` has room for ITEM_LABEL_LENGTH bytes.
inline void fill_label(field_info& field, char* label) {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
    proto_item_fill_label(&field, label, nullptr);
#else
    proto_item_fill_label(&field, label);
#endif
}

// As "Frame (1514 bytes)"; to be freed with wmem_free(nullptr, …).
inline char* describe_source(const data_source* source) {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
    return get_data_source_description(source);
#else
    return get_data_source_name(source);
#endif
}

// ---- Display filters

struct FilterFault {
    std::string message;
    size_t start = 0;  // bytes of the filter; no length: not known where
    size_t length = 0;
};

// `filter` is nullptr where the text is valid but blank. Returns whether it is valid; `fault` says why not.
inline bool compile_filter(const char* text, dfilter_t** filter, FilterFault& fault) {
#if SANSCOPE_WIRESHARK_SINCE(4, 2)
    df_error_t* error = nullptr;
    if (dfilter_compile(text, filter, &error)) return true;
    if (error != nullptr) {
        fault.message = error->msg;
        if (error->loc.col_start >= 0) {
            fault.start = static_cast<size_t>(error->loc.col_start);
            fault.length = error->loc.col_len;
        }
        df_error_free(&error);
    }
#else
    char* message = nullptr;
    dfilter_loc_t place{-1, 0};
    if (dfilter_compile2(text, filter, &message, &place)) return true;
    if (message != nullptr) fault.message = message;
    g_free(message);
    if (place.col_start >= 0) {
        fault.start = static_cast<size_t>(place.col_start);
        fault.length = place.col_len;
    }
#endif
    return false;
}

inline std::vector<std::string> filter_warnings(dfilter_t* filter) {
    std::vector<std::string> warnings;
#if SANSCOPE_WIRESHARK_SINCE(4, 2)
    for (GSList* entry = dfilter_get_warnings(filter); entry != nullptr; entry = entry->next)
        warnings.emplace_back(static_cast<const char*>(entry->data));
#endif
    if (const GPtrArray* deprecated = dfilter_deprecated_tokens(filter)) {
        for (guint i = 0; i < deprecated->len; ++i) {
            warnings.push_back(std::string(static_cast<const char*>(deprecated->pdata[i])) +
                               " is deprecated");
        }
    }
    return warnings;
}

// ---- Packets

// Before a packet is dissected for the first time: with the fields that postdissectors want of it. From 4.6 on the library does that
// by itself.
inline void prime_for_postdissectors(epan_dissect_t* dissection) {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
    (void)dissection;
#else
    prime_epan_dissect_with_postdissector_wanted_hfids(dissection);
#endif
}

// A record of a capture file with its bytes, to be read and dissected again and again.
class Record {
  public:
    Record() {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
        wtap_rec_init(&record_, 1514);
#else
        wtap_rec_init(&record_);
        ws_buffer_init(&bytes_, 1514);
#endif
    }
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
    ~Record() {
        wtap_rec_cleanup(&record_);
#if !SANSCOPE_WIRESHARK_SINCE(4, 6)
        ws_buffer_free(&bytes_);
#endif
    }

    // The next one of the file; false at its end or where it is damaged, `error` then not being 0. `details`, if set,
    // is to be freed.
    bool read(wtap* file, int& error, char*& details) {
        gint64 offset = 0;
        wtap_rec_reset(&record_);
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
        return wtap_read(file, &record_, &error, &details, &offset);
#else
        return wtap_read(file, &record_, &bytes_, &error, &details, &offset);
#endif
    }

    void dissect(epan_dissect_t* dissection, wtap* file, frame_data& frame) {
        const int type = wtap_file_type_subtype(file);
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
        epan_dissect_run(dissection, type, &record_, &frame, nullptr);
#else
        tvbuff_t* const bytes =
            tvb_new_real_data(ws_buffer_start_ptr(&bytes_), frame.cap_len,
                              static_cast<gint>(std::min<guint32>(frame.pkt_len, G_MAXINT)));
        epan_dissect_run(dissection, type, &record_, bytes, &frame, nullptr);
#endif
    }

    const wtap_rec& get() const {
        return record_;
    }
    // Of a packet, as many as its header says were captured.
    const uint8_t* bytes() {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
        return ws_buffer_start_ptr(&record_.data);
#else
        return bytes_.data + bytes_.start;
#endif
    }

    // Says that the record is of a later section, from 1, than the file has.
    void set_section(uint32_t number) {
        record_.section_number = number - 1;
    }

  private:
    wtap_rec record_{};
#if !SANSCOPE_WIRESHARK_SINCE(4, 6)
    Buffer bytes_{};
#endif
};

// Interfaces are numbered by section from 4.2 on.
#if SANSCOPE_WIRESHARK_SINCE(4, 2)
#define SANSCOPE_WIRESHARK_SECTION , unsigned
constexpr bool interface_names_in_one_row = false;
#else
#define SANSCOPE_WIRESHARK_SECTION
constexpr bool interface_names_in_one_row = true;
#endif

// ---- Plugins

// From 4.4 on a plugin says what it holds: SANSCOPE_WIRESHARK_PLUGIN_KIND is then defined.
#if SANSCOPE_WIRESHARK_SINCE(4, 4)
#define SANSCOPE_WIRESHARK_PLUGIN_KIND WS_PLUGIN_DESC_DISSECTOR
#endif

// ---- The library

inline void begin_log(const char* program, void (*complain)(const char*, va_list)) {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
    (void)program;
    ws_log_init(complain);
#else
    ws_log_init(program, complain);
#endif
}

// Finds the folders of data, plugins and preferences; returns what stood in the way, to be freed.
inline char* find_folders(const char* program_path) {
#if SANSCOPE_WIRESHARK_SINCE(4, 6)
    return configuration_init(program_path);
#else
    return configuration_init(program_path, nullptr);
#endif
}

}  // namespace sanscope::wireshark

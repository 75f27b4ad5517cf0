// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/workspace.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageAuthenticationCode>
#include <QRandomGenerator>
#include <QSettings>
#include <array>
#include <limits>

#include "gui/app/capture_window.h"
#include "gui/app/view_kinds.h"
#include "gui/document/open_path.h"
#include "gui/models/table_kinds.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

constexpr int version = 1;
constexpr QLatin1String points_key("points");
constexpr QLatin1String selected_range_key("selected_range");
constexpr QLatin1String former_selected_range_key("marked");  // in files of before
constexpr qsizetype most_bytes = qsizetype{16} << 20;
constexpr qsizetype most_captures = 100;
constexpr qsizetype most_notes = 100'000;
constexpr qsizetype most_rules = 256;  // of Decode As
constexpr qsizetype longest_text = qsizetype{64} * 1024;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Workspace)
};

// Qt reads an arrangement without bounds on what it counts: it is given those alone that this user's window wrote, which a key in
// the settings shows.
QByteArray seal_of(const QByteArray& layout) {
    constexpr size_t words = 8;
    QSettings settings;
    const QString name = QStringLiteral("workspace_key");
    QByteArray key = settings.value(name).toByteArray();
    if (key.size() != qsizetype{words * sizeof(quint32)}) {
        std::array<quint32, words> random{};
        QRandomGenerator::system()->generate(random.begin(), random.end());
        key = QByteArray(reinterpret_cast<const char*>(random.data()), static_cast<qsizetype>(sizeof random));
        settings.setValue(name, key);
    }
    return QMessageAuthenticationCode::hash(layout, key, QCryptographicHash::Sha256).toBase64();
}

// As text, since readers of JSON take numbers of that size for approximate ones.
QString number_text(int64_t number) {
    return QString::number(number);
}

QJsonObject range_json(const TimeRange& range) {
    return {{QStringLiteral("begin_ns"), number_text(range.begin_ns)},
            {QStringLiteral("end_ns"), number_text(range.end_ns)}};
}

QString path_from(const QDir& folder, const QString& path) {
    const QString relative = folder.relativeFilePath(path);
    const bool below = QDir::isRelativePath(relative) && relative != QStringLiteral("..") &&
                       !relative.startsWith(QStringLiteral("../"));
    return below ? relative : path;
}

QJsonObject capture_json(const WorkspaceCapture& capture, const QDir& folder) {
    QJsonObject object{{QStringLiteral("path"), path_from(folder, capture.path)}};
    QJsonArray points;
    for (const QString& point : capture.points) points.append(path_from(folder, point));
    if (!points.isEmpty()) object[points_key] = points;
    QJsonArray decode_as;
    for (const auto& rule : capture.decode_as.rules())
        decode_as.append(QString::fromStdString(format(DecodeAs::Rule{rule.first, rule.second})));
    if (!decode_as.isEmpty()) object[QStringLiteral("decode_as")] = decode_as;
    if (!capture.range.empty()) object[QStringLiteral("range")] = range_json(capture.range);
    if (!capture.selected_range.empty()) object[selected_range_key] = range_json(capture.selected_range);
    if (capture.connection != 0) {
        object[QStringLiteral("connection")] = number_text(capture.connection);
        object[QStringLiteral("sender_is_target")] = capture.sender_is_target;
    }
    if (const TableKind* const kind = find_table_kind(capture.selection.kind)) {
        object[QStringLiteral("selected")] = QJsonObject{
            {QStringLiteral("kind"), QString::fromUtf8(kind->selection_name.data(),
                                                       static_cast<qsizetype>(kind->selection_name.size()))},
            {QStringLiteral("number"), number_text(static_cast<int64_t>(capture.selection.number))}};
    }
    if (!capture.filter.isEmpty()) {
        object[QStringLiteral("filter")] = QJsonObject{{QStringLiteral("expression"), capture.filter},
                                                       {QStringLiteral("language"), capture.filter_language}};
    }
    if (!capture.view.isEmpty()) object[QStringLiteral("view")] = capture.view;
    if (!capture.layout.isEmpty()) {
        object[QStringLiteral("layout")] = QString::fromLatin1(capture.layout.toBase64());
        object[QStringLiteral("layout_seal")] = QString::fromLatin1(seal_of(capture.layout));
    }
    QJsonArray notes;
    for (const auto& note : capture.notes) {
        notes.append(QJsonObject{{QStringLiteral("packet"), number_text(static_cast<int64_t>(note.first))},
                                 {QStringLiteral("text"), note.second}});
    }
    if (!notes.isEmpty()) object[QStringLiteral("notes")] = notes;
    return object;
}

// Reads the members of an object; what is there and not as it should be is an error, the first of which is kept.
class Reader {
  public:
    explicit Reader(QString& error) : error_(error) {}

    bool failed() const { return !error_.isEmpty(); }
    void fail(const QString& why) {
        if (error_.isEmpty()) error_ = why;
    }

    QString text(const QJsonObject& object, const QString& name) {
        const QJsonValue value = object.value(name);
        if (value.isUndefined()) return {};
        QString text = value.toString();
        if (!value.isString() || text.size() > longest_text) wrong(name);
        return text;
    }
    // Not below zero: no moment, number or count is.
    int64_t number(const QJsonObject& object, const QString& name) {
        const QString digits = text(object, name);
        if (digits.isEmpty()) return 0;
        bool valid = false;
        const qlonglong number = digits.toLongLong(&valid);
        if (!valid || number < 0) wrong(name);
        return valid && number >= 0 ? number : 0;
    }
    QJsonObject object(const QJsonObject& in, const QString& name) {
        const QJsonValue value = in.value(name);
        if (!value.isUndefined() && !value.isObject()) wrong(name);
        return value.toObject();
    }
    QJsonArray array(const QJsonObject& in, const QString& name, qsizetype most) {
        const QJsonValue value = in.value(name);
        if (!value.isUndefined() && !value.isArray()) wrong(name);
        if (value.toArray().size() > most) wrong(name);
        return failed() ? QJsonArray() : value.toArray();
    }
    bool flag(const QJsonObject& in, const QString& name, bool otherwise) {
        const QJsonValue value = in.value(name);
        if (!value.isUndefined() && !value.isBool()) wrong(name);
        return value.toBool(otherwise);
    }
    TimeRange range(const QJsonObject& in, const QString& name) {
        const QJsonObject found = object(in, name);
        const TimeRange range{number(found, QStringLiteral("begin_ns")),
                              number(found, QStringLiteral("end_ns"))};
        if (range.end_ns < range.begin_ns) wrong(name);
        return range;
    }
    void wrong(const QString& name) {
        fail(Words::tr("its “%1” is not what a workspace has there").arg(name));
    }

  private:
    QString& error_;
};

DecodeAs read_decode_as(const QJsonObject& capture, Reader& reader) {
    DecodeAs decode_as;
    const QString name = QStringLiteral("decode_as");
    for (const QJsonValue value : reader.array(capture, name, most_rules)) {
        const auto rule = DecodeAs::parse(value.toString().toStdString());
        if (rule) {
            decode_as.add(*rule);
        } else {
            reader.wrong(name);
        }
    }
    return decode_as;
}

QString read_path(const QString& path, const QDir& folder, const QString& name, Reader& reader) {
    if (path.isEmpty() || path.size() > longest_text || path.contains(QChar(0))) reader.wrong(name);
    return QDir::cleanPath(folder.absoluteFilePath(path));
}

// All of a path, the capture itself among them.
QStringList read_points(const QJsonObject& object, const QString& capture, const QDir& folder,
                        Reader& reader) {
    QStringList points;
    for (const QJsonValue point : reader.array(object, points_key, qsizetype{most_points}))
        points.append(read_path(point.toString(), folder, points_key, reader));
    if (!points.isEmpty() && (points.size() < 2 || !points.contains(capture))) reader.wrong(points_key);
    return points;
}

WorkspaceCapture read_capture(const QJsonValue& value, const QDir& folder, Reader& reader) {
    WorkspaceCapture capture;
    if (!value.isObject()) {
        reader.wrong(QStringLiteral("captures"));
        return capture;
    }
    const QJsonObject object = value.toObject();
    const QString path_key = QStringLiteral("path");
    capture.path = read_path(reader.text(object, path_key), folder, path_key, reader);
    capture.points = read_points(object, capture.path, folder, reader);
    capture.decode_as = read_decode_as(object, reader);
    capture.range = reader.range(object, QStringLiteral("range"));
    capture.selected_range = reader.range(
        object, object.contains(selected_range_key) ? selected_range_key : former_selected_range_key);
    const int64_t connection = reader.number(object, QStringLiteral("connection"));
    if (connection > std::numeric_limits<uint32_t>::max()) reader.wrong(QStringLiteral("connection"));
    capture.connection = static_cast<uint32_t>(connection);
    capture.sender_is_target = reader.flag(object, QStringLiteral("sender_is_target"), true);
    const QJsonObject selected = reader.object(object, QStringLiteral("selected"));
    if (const TableKind* const kind =
            find_selectable(reader.text(selected, QStringLiteral("kind")).toStdString())) {
        const int64_t number = reader.number(selected, QStringLiteral("number"));
        if (number > 0) capture.selection = {kind->selection, static_cast<uint64_t>(number)};
    }
    const QJsonObject filter = reader.object(object, QStringLiteral("filter"));
    capture.filter = reader.text(filter, QStringLiteral("expression"));
    capture.filter_language = reader.text(filter, QStringLiteral("language"));
    capture.view = reader.text(object, QStringLiteral("view"));
    const QByteArray layout =
        QByteArray::fromBase64(reader.text(object, QStringLiteral("layout")).toLatin1());
    const QString seal = reader.text(object, QStringLiteral("layout_seal"));
    if (!layout.isEmpty() && seal == QString::fromLatin1(seal_of(layout))) capture.layout = layout;
    for (const QJsonValue one : reader.array(object, QStringLiteral("notes"), most_notes)) {
        const QJsonObject note = one.toObject();
        const int64_t packet = reader.number(note, QStringLiteral("packet"));
        if (packet < 1) reader.wrong(QStringLiteral("notes"));
        capture.notes[static_cast<PacketNumber>(packet)] = reader.text(note, QStringLiteral("text"));
    }
    return capture;
}

// `own`: where the capture itself is now.
QStringList points_of(const CaptureWindow& capture, const QString& own) {
    const std::shared_ptr<const OpenPath>& path = capture.document().points();
    if (path == nullptr) return capture.wanted_points();
    QStringList points{own};
    for (size_t i = 1; i < path->files().size(); ++i) {
        const QString file = QFile::decodeName(QByteArray::fromStdString(path->files()[i]));
        points.append(QFileInfo(file).absoluteFilePath());
    }
    return points;
}

}  // namespace

QString workspace_ending() {
    return QStringLiteral(".sanscope-workspace");
}

bool is_workspace(const QString& path) {
    return path.endsWith(workspace_ending(), Qt::CaseInsensitive);
}

QByteArray workspace_json(const Workspace& workspace, const QString& path) {
    const QDir folder = QFileInfo(path).absoluteDir();
    QJsonArray captures;
    for (const WorkspaceCapture& capture : workspace.captures) captures.append(capture_json(capture, folder));
    return QJsonDocument(QJsonObject{{QStringLiteral("sanscope_workspace"), version},
                                     {QStringLiteral("front"), workspace.front},
                                     {QStringLiteral("captures"), captures}})
        .toJson();
}

std::optional<Workspace> read_workspace(const QByteArray& json, const QString& path, QString& error) {
    error.clear();
    Reader reader(error);
    if (json.size() > most_bytes) {
        reader.fail(Words::tr("it is too large for a workspace"));
        return std::nullopt;
    }
    QJsonParseError fault;
    const QJsonDocument document = QJsonDocument::fromJson(json, &fault);
    if (fault.error != QJsonParseError::NoError) {
        reader.fail(Words::tr("it is no workspace, or damaged: %1 at byte %2")
                        .arg(fault.errorString())
                        .arg(fault.offset));
        return std::nullopt;
    }
    const QJsonObject object = document.object();
    const QJsonValue of_version = object.value(QStringLiteral("sanscope_workspace"));
    if (!of_version.isDouble()) {
        reader.fail(Words::tr("it is JSON, but no workspace"));
    } else if (of_version.toInt() != version) {
        reader.fail(Words::tr("it is a workspace of another version of sanscope"));
    }
    if (reader.failed()) return std::nullopt;
    Workspace workspace;
    const QDir folder = QFileInfo(path).absoluteDir();
    for (const QJsonValue capture : reader.array(object, QStringLiteral("captures"), most_captures))
        workspace.captures.append(read_capture(capture, folder, reader));
    workspace.front = object.value(QStringLiteral("front")).toInt(-1);
    if (workspace.front >= workspace.captures.size()) workspace.front = -1;
    if (reader.failed()) return std::nullopt;
    return workspace;
}

WorkspaceCapture workspace_of(const CaptureWindow& capture) {
    const QString path = QFileInfo(capture.document().path()).absoluteFilePath();
    const QStringList points = points_of(capture, path);
    if (capture.pending()) {
        WorkspaceCapture kept = *capture.pending();
        kept.path = path;
        kept.points = points;
        kept.decode_as = capture.document().data()->decode_as();
        kept.notes = capture.document().notes().merged_with(kept.notes);
        return kept;
    }
    const ViewState& state = capture.state();
    WorkspaceCapture kept;
    kept.path = path;
    kept.points = points;
    kept.decode_as = capture.document().data()->decode_as();
    if (state.range() != state.first_view()) kept.range = state.range();
    kept.selected_range = state.selected_range();
    kept.connection = state.connection();
    kept.sender_is_target = state.sender_is_target();
    kept.selection = state.selection();
    if (state.filter() != nullptr || capture.filter_line().applying()) {
        kept.filter = capture.filter_line().expression();
        kept.filter_language = capture.filter_line().language();
    }
    kept.view = capture.current_view_name();
    kept.layout = capture.layout_state();
    kept.notes = capture.document().notes().all();
    kept.notes.insert(capture.notes_beyond().begin(), capture.notes_beyond().end());
    for (const auto& [packet, comments] : capture.document().notes().changes()) {
        if (comments.empty()) kept.uncommented.push_back(packet);
    }
    for (const auto& [name, rows] : capture.tables()) {
        kept.sorting[name] = {rows->sort_column(), rows->sort_order()};
        if (rows->time_reference_packet() != 0) kept.time_reference = rows->time_reference_packet();
    }
    return kept;
}

void restore(CaptureWindow& capture, const WorkspaceCapture& kept) {
    Document& document = capture.document();
    ViewState& state = capture.state();
    if (!kept.layout.isEmpty()) capture.set_layout_state(kept.layout);
    if (find_view_kind(kept.view.toStdString()) != nullptr) capture.show_view(kept.view.toStdString());
    const bool noted = document.notes().modified();
    const PacketNumber packets = document.data()->progress().packets;
    const auto beyond = kept.notes.upper_bound(packets);
    document.notes().merge({kept.notes.begin(), beyond});
    capture.set_notes_beyond({beyond, kept.notes.end()});
    // They are in a file: the workspace's.
    if (!noted) document.notes().saved();
    capture.select_row(kept.selection);
    // What is selected brings its own connection into focus, once that is known.
    if (capture.has_row({Selection::Kind::connection, kept.connection})) {
        document.when_resolved(&capture,
                               [&state, connection = kept.connection, target = kept.sender_is_target](
                                   const SelectedThings&) { state.set_connection(connection, target); });
    }
    for (const auto& [name, order] : kept.sorting) {
        if (auto* const rows = qobject_cast<RowsView*>(capture.view(name.toStdString())))
            rows->sort(order.first, order.second);
    }
    if (kept.time_reference != 0) {
        if (auto* const rows = qobject_cast<RowsView*>(capture.view("packets")))
            rows->set_time_reference(kept.time_reference);
    }
    if (!kept.filter.isEmpty()) capture.filter_line().apply_filter(kept.filter, kept.filter_language);
    if (kept.selected_range.overlaps(state.whole())) state.set_selected_range(kept.selected_range);
    if (kept.range.overlaps(state.whole())) state.set_range(kept.range);
    capture.set_pending(std::nullopt);
}

}  // namespace sanscope

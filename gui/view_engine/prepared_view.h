// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <functional>
#include <utility>

#include "gui/document/latest_job.h"
#include "gui/plot/time_viewport.h"
#include "gui/view_engine/view.h"

namespace sanscope {

// When a view's picture is prepared anew, whatever kind of picture that is: because what is in sight is not in it, because it
// shows something else than is wanted now, or because the capture has grown; the last no more often than leaves the loader
// its time. Until a new picture comes the old one is painted, moved and scaled. While nobody can see the view, nothing is prepared.
class PreparedViewBase : public View {
    Q_OBJECT

  public:
    // What is painted now is what was asked for.
    bool settled() const override;

  protected:
    PreparedViewBase(Document& document, QWidget* parent);

    // There is something to draw up.
    virtual bool wants_picture() const { return !state().range().empty(); }
    // The view is laid out, so that it is known how finely to draw it up.
    virtual bool ready() const { return true; }
    // What is in sight is in the picture, finely enough.
    virtual bool serves() const = 0;
    virtual bool preparing() const = 0;
    virtual void start_preparing() = 0;
    // Paints what there is; called whenever what is in sight, or the picture, may be another.
    virtual void redraw() = 0;
    // There is more of the capture: by default a picture of that is wanted.
    virtual void on_growth() { renew(); }
    // The capture is complete: rows may have been put in order anew. on_growth() follows.
    virtual void on_loaded() {}

    void on_in_sight() override { refresh(); }
    // What is in sight may be another.
    void refresh();
    // The picture shows something else, or less of it, than is wanted now.
    void renew();
    // `newest_ns`: time of the last packet that the picture may show, nanoseconds since the epoch.
    void on_picture_taken(int64_t took_ms, int64_t newest_ns);

  private:
    int64_t rest_ms() const;
    void prepare_unless_resting();

    bool stale_ = true;
    QElapsedTimer since_picture_;
    int64_t took_ms_ = 0;  // to prepare the last one
    QTimer rest_;          // until a picture of the capture as it has grown may be prepared
};

// A view of a Picture that is prepared on a worker. `Base` is what it is beside that: a plain view, or a PlottedView.
template <class Picture, class Base = PreparedViewBase>
class PreparedView : public Base {
  public:
    const Picture& picture() const { return picture_; }

  protected:
    using Base::Base;

    // Draws up what is in sight. Done on a worker: it holds all it uses, and looks at the stop flag now and then.
    using Preparation = std::function<Picture(const StopFlag& stop)>;
    // Of what is in sight now.
    virtual Preparation preparation() = 0;
    // picture() is another; its last one is `before`. redraw() follows.
    virtual void on_picture(const Picture& before) = 0;

    bool preparing() const final { return !job_.idle(); }
    void start_preparing() final {
        job_.request(
            [prepare = preparation(), newest_ns = this->state().whole().end_ns](const StopFlag& stop) {
                QElapsedTimer timer;
                timer.start();
                Prepared prepared;
                prepared.newest_ns = newest_ns;
                prepared.picture = prepare(stop);
                prepared.took_ms = timer.elapsed();
                return prepared;
            },
            [this](Prepared prepared) {
                const Picture before = std::exchange(picture_, std::move(prepared.picture));
                this->count_picture();
                on_picture(before);
                this->on_picture_taken(prepared.took_ms, prepared.newest_ns);
            });
    }

  private:
    struct Prepared {
        Picture picture;
        int64_t took_ms = 0;
        int64_t newest_ns = 0;
    };

    Picture picture_;
    // An old picture is better than none: one under way is not stopped for the next.
    LatestJob<Prepared> job_{true};
};

}  // namespace sanscope

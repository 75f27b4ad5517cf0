// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QElapsedTimer>
#include <QWidget>

#include "gui/document/document.h"
#include "gui/senders/sender_list.h"

namespace sanscope {

// Chooses what a view is about: a connection and which side of it sends, as the view state has them; or more than one
// connection, which is this view's own choice.
class ConnectionChooser : public QWidget {
    Q_OBJECT

  public:
    enum class Offers : uint8_t {
        connections,           // those that sent data
        connections_and_sums,  // and all those of a session, or of all sessions, summed
        scopes,  // everything, each session, each connection of a session: all the view's own, no side
    };
    ConnectionChooser(Document& document, Offers offers, QWidget* parent);

    // What the view chose for itself; `shared` where it is the view state's connection.
    struct Scope {
        enum class Kind : uint8_t { shared, all, session, connection };
        Kind kind = Kind::shared;
        uint32_t number = 0;
        bool operator==(const Scope&) const = default;
    };
    const Scope& scope() const { return scope_; }
    // What is chosen, in words.
    QString title() const;
    bool settled() const { return job_.idle(); }

  Q_SIGNALS:
    void scope_changed();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    // What the capture offers to choose from.
    struct Choices {
        uint32_t sessions = 0;
        std::vector<ConnectionChoice> connections;
        bool operator==(const Choices&) const = default;
    };
    struct Item {
        QString text;
        Scope scope;  // `shared`: of the view state, the connection of that number
    };

    void look();
    void take(Choices choices);
    void fill();
    std::vector<Item> items() const;
    void add(const Item& item);
    int index_of(const Scope& scope) const;
    QString name_of(uint32_t connection) const;
    void list_idle();
    void follow_state();
    void leave_sum_of_others();
    void choose(int index);

    Document& document_;
    Offers offers_;
    QComboBox* what_;
    QComboBox* side_ = nullptr;
    Choices choices_;
    bool lists_idle_ = false;  // once they were asked for
    Scope scope_;
    LatestJob<Choices> job_;
    QElapsedTimer since_look_;
};

}  // namespace sanscope

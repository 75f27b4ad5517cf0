// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// Owns an open file descriptor.
class FileDescriptor {
  public:
    explicit FileDescriptor(int number = -1) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor();

    int get() const { return number_; }
    int release();

  private:
    int number_;
};

// Whether this process was started with a descriptor of that number. To be asked before anything is opened: what is opened
// would take a missing one's place, and get what was meant for it.
bool is_open(int descriptor);
bool standard_descriptors_are_open();

}  // namespace sanscope

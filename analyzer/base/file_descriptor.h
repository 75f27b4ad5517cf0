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

}  // namespace sanscope

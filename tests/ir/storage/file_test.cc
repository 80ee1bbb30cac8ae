// SPDX-License-Identifier: Apache-2.0
// Files that are odd, change while they are read, or can't be written: an
// error, and nothing lost.

#include "indim/ir/storage/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string Folder() {
  static int count = 0;
  const std::string folder =
      absl::StrCat(testing::TempDir(), "/file_", count++);
  fs::remove_all(folder);
  fs::create_directory(folder);
  return folder;
}

int64_t CountIn(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder),
                       fs::directory_iterator());
}

TEST(FileTest, WhatIsWrittenIsRead) {
  const std::string folder = Folder(), path = folder + "/f";
  for (const size_t size : {0, 1, 4096, 70000, 3000000}) {
    const std::string bytes(size, 'x');
    ASSERT_TRUE(WriteFile(path, bytes).ok());
    EXPECT_EQ(*ReadFile(path), bytes);
  }
  EXPECT_EQ(CountIn(folder), 1);
  EXPECT_EQ(ReadFile(folder + "/none").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(FileTest, ModesAndLinksStay) {
  const std::string folder = Folder(), path = folder + "/f";
  ASSERT_TRUE(WriteFile(path, "a").ok());
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const std::string link = folder + "/link";
  ASSERT_EQ(symlink("f", link.c_str()), 0);
  ASSERT_TRUE(WriteFile(link, "b").ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*ReadFile(path), "b");
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  EXPECT_EQ(ResolvedPath(link), ResolvedPath(path));
}

TEST(FileTest, AFolderIsNoFile) {
  const std::string folder = Folder();
  for (const absl::Status& status :
       {ReadFile(folder).status(), WriteFile(folder, "x"),
        RandomAccessFile::Open(folder).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(folder));
  }
  EXPECT_EQ(CountIn(folder), 0);
}

TEST(FileTest, APipeThatNobodyWritesTo) {
  const std::string pipe = Folder() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(ReadFile(pipe).status().message()),
              HasSubstr("nobody writes"));
  EXPECT_FALSE(RandomAccessFile::Open(pipe).ok());
}

TEST(FileTest, APipeThatIsWrittenTo) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    for (const std::string& part :
         {std::string(100000, 'a'), std::string("b")}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (size_t done = 0; done < part.size();) {
        const ssize_t n =
            write(ends[1], part.data() + done, part.size() - done);
        if (n <= 0) break;
        done += static_cast<size_t>(n);
      }
    }
    close(ends[1]);
  });
  const auto read = ReadFile(absl::StrCat("/dev/fd/", ends[0]));
  writer.join();
  close(ends[0]);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, std::string(100000, 'a') + "b");
}

// What is read is whole, or it is an error.
TEST(FileTest, AFileThatShrinksWhileItIsRead) {
  const std::string path = Folder() + "/f";
  const std::string bytes(8 << 20, 'x');
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  std::atomic<bool> stop{false};
  std::thread shrinker([&] {
    while (!stop) {
      fs::resize_file(path, 1 << 20);
      fs::resize_file(path, 8 << 20);
    }
  });
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    const absl::StatusOr<std::string> read = ReadFile(path);
    // Two sizes, both whole.
    if (read.ok()) {
      EXPECT_TRUE(read->size() >= 1 << 20) << read->size();
    } else {
      ++refused;
      EXPECT_THAT(std::string(read.status().message()),
                  HasSubstr("ends now after"));
    }
  }
  stop = true;
  shrinker.join();
  RecordProperty("refused", refused);
}

// Sparse: on disk it is nothing.
TEST(FileTest, AFileThatDoesNotFitIntoMemory) {
  const std::string path = Folder() + "/f";
  ASSERT_TRUE(WriteFile(path, "").ok());
  std::error_code error;
  fs::resize_file(path, uintmax_t{1} << 43, error);
  if (error) GTEST_SKIP() << "no files of 8 TiB here: " << error.message();
  const absl::StatusOr<std::string> read = ReadFile(path);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(read.status().message()),
              HasSubstr("8796093022208 bytes don't fit into memory"));
}

TEST(FileTest, RangesOfAFileThatShrank) {
  const std::string path = Folder() + "/f";
  ASSERT_TRUE(WriteFile(path, "0123456789").ok());
  const auto file = RandomAccessFile::Open(path);
  ASSERT_TRUE(file.ok());
  char bytes[4];
  ASSERT_TRUE((*file)->Read(6, bytes, 4).ok());
  EXPECT_EQ(absl::string_view(bytes, 4), "6789");
  EXPECT_FALSE((*file)->Read(7, bytes, 4).ok());
  EXPECT_FALSE((*file)->Read(uint64_t{1} << 63, bytes, 4).ok());
  fs::resize_file(path, 8);
  EXPECT_THAT(std::string((*file)->Read(6, bytes, 4).message()),
              HasSubstr("it had 10 bytes, and ends now after 8"));
  // Replaced, as writers do: what was opened stays.
  ASSERT_TRUE(WriteFile(path, "other").ok());
  EXPECT_TRUE((*file)->Read(0, bytes, 4).ok());
  EXPECT_EQ(absl::string_view(bytes, 4), "0123");
}

TEST(FileTest, AFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const absl::Status status = WriteFile("/dev/full", std::string(100000, 'x'));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST(FileTest, ALimitOnFilesLeavesTheOldOne) {
  const std::string folder = Folder(), path = folder + "/f";
  ASSERT_TRUE(WriteFile(path, "old").ok());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  rlimit few = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  const absl::Status status = WriteFile(path, std::string(100000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(*ReadFile(path), "old");
  EXPECT_EQ(CountIn(folder), 1);
}

TEST(FileTest, AWriterThatGivesUpLeavesTheOldOne) {
  const std::string folder = Folder(), path = folder + "/f";
  ASSERT_TRUE(WriteFile(path, "old").ok());
  {
    absl::StatusOr<FileWriter> file = FileWriter::Open(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write("new").ok());
    FileWriter moved = *std::move(file);
    ASSERT_TRUE(moved.Write("er").ok());
    EXPECT_EQ(CountIn(folder), 2);
  }
  EXPECT_EQ(*ReadFile(path), "old");
  EXPECT_EQ(CountIn(folder), 1);
}

// A process that is killed while it writes: the file is an old or a new one.
TEST(FileTest, AWriterThatIsKilled) {
  const std::string path = Folder() + "/f";
  ASSERT_TRUE(WriteFile(path, std::string(1 << 20, '0')).ok());
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (char c = 'a';; c = c == 'z' ? 'a' : static_cast<char>(c + 1)) {
        if (!WriteFile(path, std::string(1 << 20, c)).ok()) _exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(2500 * round));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const absl::StatusOr<std::string> read = ReadFile(path);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->size(), size_t{1} << 20);
    EXPECT_EQ(read->find_first_not_of((*read)[0]), std::string::npos);
  }
}

}  // namespace
}  // namespace indim

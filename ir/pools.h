// Pools: what the computations of a module (or of a family of builders) share.
// Shapes, blobs, metadata and names, each behind a 32-bit id.

#ifndef INDIM_IR_POOLS_H_
#define INDIM_IR_POOLS_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/byte_pool.h"
#include "indim/ir/ids.h"
#include "indim/ir/shape_table.h"
#include "indim/shape/attributes.h"
#include "indim/shape/opcode.h"

namespace indim {

class Pools {
 public:
  Pools();
  ~Pools();
  // Copies keep every id; bytes are shared.
  Pools(const Pools& other);
  Pools& operator=(const Pools&) = delete;

  ShapeTable& shapes() { return shapes_; }
  const ShapeTable& shapes() const { return shapes_; }

  // Names are not unique here: the module's checks see to that.
  NameId AddName(absl::string_view name);  // copied
  // `name` must live in something given to KeepAlive.
  NameId AddNameView(absl::string_view name);
  absl::string_view name(NameId id) const { return names_[id.value]; }

  // Interns a blob (canonical fields). Blobs above kLargeBlob bytes (literals)
  // are not compared with others. The empty blob has id 0.
  BlobId AddBlob(BlobView blob);
  // The same, without copying a large one: its parts must live in something
  // given to KeepAlive.
  BlobId AddBlobView(BlobView blob);
  BlobView blob(BlobId id) const { return blobs_[id.value].view; }

  // The struct of `opcode` decoded from the blob: at the first call, kept since.
  // Bytes that can't be understood give default values; DecodeAttributes tells
  // the error and the verifier reports it. Thread-safe.
  const Attributes& attributes(Opcode opcode, BlobId id) const;

  // Interns OpMetadata bytes (canonical).
  MetadataId AddMetadata(absl::string_view wire);
  absl::string_view metadata(MetadataId id) const {
    return metadata_[id.value];
  }
  // OpMetadata with source_file and source_line only. `file` is compared by
  // address first, so the compiler's own literals cost a look-up.
  MetadataId AddLocation(const char* file, int line);

  void KeepAlive(std::shared_ptr<const void> owner) {
    bytes_.Keep(std::move(owner));
  }

  static constexpr size_t kLargeBlob = 1024;

 private:
  struct BlobEntry {
    BlobView view;
    mutable std::atomic<const Attributes*> decoded{nullptr};
  };
  BytePool bytes_;
  ShapeTable shapes_;
  std::vector<absl::string_view> names_;
  std::deque<BlobEntry> blobs_;
  absl::flat_hash_map<std::string, BlobId> blob_index_;
  std::vector<absl::string_view> metadata_;
  absl::flat_hash_map<absl::string_view, MetadataId> metadata_index_;
  absl::flat_hash_map<std::pair<const char*, int>, MetadataId> locations_;
};

}  // namespace indim

#endif  // INDIM_IR_POOLS_H_

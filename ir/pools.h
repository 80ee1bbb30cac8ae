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
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/byte_hash.h"
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

  // The name of what a file leaves nameless: empty, but it counts as given, so
  // that writers don't make one.
  static constexpr NameId kNameless{1};

  // Names are not unique here: the module's checks see to that. The empty name
  // is kNameless.
  NameId AddName(absl::string_view name);  // copied
  // `name` must live in something given to KeepAlive.
  NameId AddNameView(absl::string_view name);
  absl::string_view name(NameId id) const { return names_[id.value]; }

  // Interns a blob (canonical fields). Blobs above kLargeBlob bytes (literals)
  // are not compared with others. The empty blob has id 0.
  BlobId AddBlob(BlobView blob);
  // The same without copying: its parts must live in something given to
  // KeepAlive.
  BlobId AddBlobView(BlobView blob);
  // The id of an equal blob that was interned before; 0: none, or it is empty.
  BlobId FindBlob(BlobView blob) const;
  BlobView blob(BlobId id) const { return blobs_[id.value].view; }
  // How many ids of blobs there are, 0 included.
  size_t blob_count() const { return blobs_.size(); }

  // The struct of `opcode` decoded from the blob: at the first call, kept
  // since. Bytes that can't be understood give default values. Thread-safe.
  const Attributes& attributes(Opcode opcode, BlobId id) const {
    return Decode(opcode, id).attributes;
  }
  // What DecodeAttributes says of them: InvalidArgument, which the verifier
  // reports.
  const absl::Status& attributes_status(Opcode opcode, BlobId id) const {
    return Decode(opcode, id).status;
  }

  // Interns OpMetadata bytes (canonical). Empty bytes, metadata that is present
  // but says nothing, get an id too.
  MetadataId AddMetadata(absl::string_view wire);
  // The same without copying: `wire` must live in something given to KeepAlive.
  MetadataId AddMetadataView(absl::string_view wire);
  // The id of equal metadata that was interned before; 0: none.
  MetadataId FindMetadata(absl::string_view wire) const;
  absl::string_view metadata(MetadataId id) const {
    return metadata_[id.value];
  }
  // OpMetadata with source_file and source_line only. `file` is compared by
  // address first, so the compiler's own literals cost a look-up.
  MetadataId AddLocation(const char* file, int line);

  void KeepAlive(std::shared_ptr<const void> owner) {
    bytes_.Keep(std::move(owner));
  }
  // The same bytes where they live as long as these pools.
  absl::string_view KeepBytes(std::string bytes);
  // Room for `count` more names.
  void ReserveNames(size_t count) { names_.reserve(names_.size() + count); }

  static constexpr size_t kLargeBlob = 1024;

 private:
  // A blob decoded for one opcode; the list of a blob is nearly always one.
  struct Decoded {
    Opcode opcode;
    Attributes attributes;
    absl::Status status;
    const Decoded* next;
  };
  struct BlobEntry {
    explicit BlobEntry(BlobView v) : view(v) {}
    BlobView view;
    mutable std::atomic<const Decoded*> decoded{nullptr};
  };
  struct BlobHash {
    size_t operator()(const BlobView& b) const {
      // Mostly one of the three is there.
      uint64_t hash = HashBytes(b.before_id);
      if (!b.control.empty()) hash = HashBytes(b.control, hash);
      if (!b.after_callees.empty()) hash = HashBytes(b.after_callees, ~hash);
      return static_cast<size_t>(hash);
    }
  };
  struct BlobEq {
    bool operator()(const BlobView& a, const BlobView& b) const {
      return a.before_id == b.before_id && a.control == b.control &&
             a.after_callees == b.after_callees;
    }
  };
  BlobId InsertBlob(BlobView blob);
  const Decoded& Decode(Opcode opcode, BlobId id) const;

  BytePool bytes_;
  ShapeTable shapes_;
  std::vector<absl::string_view> names_;
  std::deque<BlobEntry> blobs_;
  absl::flat_hash_map<BlobView, BlobId, BlobHash, BlobEq> blob_index_;
  std::vector<absl::string_view> metadata_;
  absl::flat_hash_map<absl::string_view, MetadataId, ByteHash> metadata_index_;
  absl::flat_hash_map<std::pair<const char*, int>, MetadataId> locations_;
};

}  // namespace indim

#endif  // INDIM_IR_POOLS_H_

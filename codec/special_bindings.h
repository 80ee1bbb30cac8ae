// Bindings of what isn't one field for one member: implicit broadcasts,
// channels, replica groups and the like. See attribute_bindings.h for what a
// binding is.

#ifndef INDIM_CODEC_SPECIAL_BINDINGS_H_
#define INDIM_CODEC_SPECIAL_BINDINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/codec/attribute_bindings.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/field_list.h"

namespace indim {
namespace binding {

// What a recorded graph says about implicit broadcasting: field 1000, absent
// when nothing was said.
void WriteBroadcast(const BroadcastSpec& spec, FieldList* to);
bool ReadBroadcast(const FieldList& from, BroadcastSpec* spec,
                   std::string* error);

// Four encodings: explicit lists (87, of old files 49), a formula (92), axes of
// a mesh (93). Written as axes of a mesh, as a formula or as lists, the first
// of them that is there; no groups, one of all devices, is written as nothing.
void WriteGroups(const ReplicaGroups& groups, FieldList* to);
bool ReadGroups(const FieldList& from, ReplicaGroups* groups,
                std::string* error);

// Field 26, of old files 45. Not above 0: none.
void WriteChannel(int64_t channel, FieldList* to);
int64_t ReadChannel(const FieldList& from);

// Field 80, of old files the flag 73 for index 0.
void WritePrefetch(const CopyStartAttributes& attributes, FieldList* to);
void ReadPrefetch(const FieldList& from, CopyStartAttributes* attributes);

// Three lists on one side, a list of three on the other; a list that is too
// short counts as 0 (strides: 1) from there.
void WriteSlice(const SliceAttributes& attributes, FieldList* to);
bool ReadSlice(const FieldList& from, SliceAttributes* attributes,
               std::string* error);

void WritePairs(const CollectivePermuteAttributes& attributes, FieldList* to);
bool ReadPairs(const FieldList& from, CollectivePermuteAttributes* attributes,
               std::string* error);

void WriteShape(uint32_t number, const Shape& shape, FieldList* to);
bool ReadShape(const FieldList& from, uint32_t number, Shape* shape,
               std::string* error);
void WriteShapes(uint32_t number, const std::vector<Shape>& shapes,
                 FieldList* to);
bool ReadShapes(const FieldList& from, uint32_t number,
                std::vector<Shape>* shapes, std::string* error);

template <typename S>
struct BroadcastBinding : LeafBinding<BroadcastBinding<S>, S> {
  bool Read(const FieldList& from, S* to, std::string* error) const {
    return ReadBroadcast(from, &to->broadcast, error);
  }
  void Write(const S& from, FieldList* to) const {
    WriteBroadcast(from.broadcast, to);
  }
};

template <typename S>
struct ChannelBinding : LeafBinding<ChannelBinding<S>, S> {
  bool Read(const FieldList& from, S* to, std::string*) const {
    to->channel_id = ReadChannel(from);
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    WriteChannel(from.channel_id, to);
  }
};

struct GroupsBinding : LeafBinding<GroupsBinding, CollectiveAttributes> {
  bool Read(const FieldList& from, CollectiveAttributes* to,
            std::string* error) const {
    return ReadGroups(from, &to->replica_groups, error);
  }
  void Write(const CollectiveAttributes& from, FieldList* to) const {
    WriteGroups(from.replica_groups, to);
  }
};

struct PrefetchBinding : LeafBinding<PrefetchBinding, CopyStartAttributes> {
  bool Read(const FieldList& from, CopyStartAttributes* to,
            std::string*) const {
    ReadPrefetch(from, to);
    return true;
  }
  void Write(const CopyStartAttributes& from, FieldList* to) const {
    WritePrefetch(from, to);
  }
};

struct SliceBinding : LeafBinding<SliceBinding, SliceAttributes> {
  bool Read(const FieldList& from, SliceAttributes* to,
            std::string* error) const {
    return ReadSlice(from, to, error);
  }
  void Write(const SliceAttributes& from, FieldList* to) const {
    WriteSlice(from, to);
  }
};

struct PairsBinding : LeafBinding<PairsBinding, CollectivePermuteAttributes> {
  bool Read(const FieldList& from, CollectivePermuteAttributes* to,
            std::string* error) const {
    return ReadPairs(from, to, error);
  }
  void Write(const CollectivePermuteAttributes& from, FieldList* to) const {
    WritePairs(from, to);
  }
};

template <typename S>
struct ShapeBinding : LeafBinding<ShapeBinding<S>, S> {
  uint32_t number;
  Shape S::*member;

  constexpr ShapeBinding(uint32_t n, Shape S::*m) : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    return ReadShape(from, number, &(to->*member), error);
  }
  void Write(const S& from, FieldList* to) const {
    WriteShape(number, from.*member, to);
  }
};

template <typename S>
struct ShapesBinding : LeafBinding<ShapesBinding<S>, S> {
  uint32_t number;
  std::vector<Shape> S::*member;

  constexpr ShapesBinding(uint32_t n, std::vector<Shape> S::*m)
      : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    return ReadShapes(from, number, &(to->*member), error);
  }
  void Write(const S& from, FieldList* to) const {
    WriteShapes(number, from.*member, to);
  }
};

}  // namespace binding
}  // namespace indim

#endif  // INDIM_CODEC_SPECIAL_BINDINGS_H_

// SPDX-License-Identifier: Apache-2.0
// What the proof asks of two operands: every rule with every axis and every
// broadcast_dimensions, and the documents' answer for known sizes.

#ifndef INDIM_TESTS_PROOF_QUESTIONS_H_
#define INDIM_TESTS_PROOF_QUESTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/broadcast/broadcast.h"
#include "indim/tests/proof/documents.h"
#include "indim/tests/proof/small_shapes.h"

namespace indim {
namespace proof {

// The places of an operand's dims among the result's; -1: left out.
using Places = std::vector<int32_t>;

class Question {
 public:
  explicit Question(BroadcastSpec spec);

  const BroadcastSpec& spec() const { return spec_; }
  std::string text() const;

  // The document refuses these ranks, or broadcast_dimensions or an axis on
  // them, whatever the sizes.
  bool Fits(int rank_a, int rank_b) const;
  // Where it fits: the places of both operands' dims.
  std::pair<Places, Places> PlacesOf(int rank_a, int rank_b) const;
  // The document's answer, and that of XLA's document amended: it calls the
  // result of 0 with 1 their maximum. nullopt: refused.
  std::optional<documents::Sizes> Document(const documents::Sizes& a,
                                           const documents::Sizes& b) const;
  std::optional<documents::Sizes> Amended(const documents::Sizes& a,
                                          const documents::Sizes& b) const;
  // Amended's answer for two concrete shapes: the id of one, or -1.
  int Answer(const ConcreteShapes& concrete, int a, int b);

 private:
  BroadcastSpec spec_;
  std::optional<documents::Sizes> tuple_;
  std::vector<int16_t> answers_;  // kUnasked, or as Answer
};

// none, numpy, bidirectional; pdpd with each axis from -2 to 4.
std::vector<Question> DocumentQuestions();
// xla without broadcast_dimensions, and with each list of up to three of -1 to
// 3, and 0,1,2,3.
std::vector<Question> XlaQuestions();

}  // namespace proof
}  // namespace indim

#endif  // INDIM_TESTS_PROOF_QUESTIONS_H_

// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/diff/module_diff.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/text/base/text_colors.h"
#include "indim/text/print/hlo_printer.h"
#include "indim/text/print/module_header.h"
#include "indim/text/print/print_order.h"
#include "indim/tools/diff/instruction_matcher.h"

namespace indim {
namespace {

constexpr absl::string_view kColorRemoved = "\x1b[31m";
constexpr absl::string_view kColorAdded = "\x1b[32m";

// Equal numbers for equal keys, in both modules.
template <typename Key>
class KeyNumbers {
 public:
  uint32_t Of(Key key) {
    return numbers_
        .try_emplace(std::move(key), static_cast<uint32_t>(numbers_.size()))
        .first->second;
  }

 private:
  absl::flat_hash_map<Key, uint32_t> numbers_;
};

struct AllNumbers {
  KeyNumbers<std::string> texts;
  KeyNumbers<std::vector<uint32_t>> deep;
  KeyNumbers<std::vector<uint32_t>> contents;
};

// What an instruction says without names.
PrintOptions SignatureOptions(const DiffOptions& options) {
  PrintOptions o = PrintOptions::LargeConstants();
  o.operand_names = o.control_predecessors = o.original_value = false;
  o.index_interval = 0;
  o.async_sugar = false;
  o.metadata = options.metadata;
  o.layouts = options.layouts;
  o.inline_stack_frames = true;  // frames are numbers
  o.subcomputations = PrintOptions::Subcomputations::kNone;
  return o;
}

PrintOptions LineOptions(const DiffOptions& options) {
  PrintOptions o;
  o.metadata = options.metadata;
  o.layouts = options.layouts;
  o.inline_stack_frames = true;
  o.async_sugar = false;
  return o;
}

// One of the two modules.
class Side {
 public:
  Side(const Module& module, const DiffOptions& options, AllNumbers* numbers)
      : data_(internal::DataOf(module)),
        order_(data_),
        lines_(module, LineOptions(options)),
        computations_(data_.computations.size()),
        contents_(data_.computations.size()) {
    HloPrinter signatures(module, SignatureOptions(options));
    for (uint32_t c = 0; c < computations_.size(); ++c) {
      Read(c, &signatures, numbers);
    }
  }

  uint32_t size() const { return static_cast<uint32_t>(computations_.size()); }
  uint32_t entry() const { return data_.entry; }
  const MatchSide& computation(uint32_t c) const { return computations_[c]; }
  // Equal for computations that are the same but for names.
  uint32_t content(uint32_t c) const { return contents_[c]; }
  absl::Span<const uint32_t> Callees(uint32_t c, uint32_t i) const {
    return data_.Callees(data_.Instructions(c)[i]);
  }
  std::vector<uint32_t> Predecessors(uint32_t c, uint32_t i) {
    return order_.ControlPredecessors(c, i);
  }
  std::string Name(uint32_t c) const { return lines_.ComputationName(c); }
  std::string Line(uint32_t c, uint32_t i) {
    return lines_.InstructionText(c, i);
  }

 private:
  void Read(uint32_t c, HloPrinter* signatures, AllNumbers* numbers);

  const ModuleData& data_;
  InstructionOrder order_;
  HloPrinter lines_;
  std::vector<MatchSide> computations_;
  std::vector<uint32_t> contents_;
};

void Side::Read(uint32_t c, HloPrinter* signatures, AllNumbers* numbers) {
  MatchSide& side = computations_[c];
  const auto instructions = data_.Instructions(c);
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const InstructionRecord& record = instructions[i];
    side.signature.push_back(numbers->texts.Of(
        absl::StrCat(i == data_.computations[c].root ? "ROOT " : "",
                     signatures->InstructionText(c, i, /*named=*/false))));
    side.opcode.push_back(numbers->texts.Of(
        std::string(data_.OpcodeName(data_.computations[c].first + i))));
    side.first_operand.push_back(static_cast<uint32_t>(side.operands.size()));
    std::vector<uint32_t> key = {side.signature.back()};
    for (uint32_t callee : data_.Callees(record)) {
      key.push_back(contents_[callee]);
    }
    for (uint32_t operand : data_.Operands(record)) {
      key.push_back(side.deep[operand]);
      side.operands.push_back(operand);
    }
    side.deep.push_back(numbers->deep.Of(std::move(key)));
  }
  side.first_operand.push_back(static_cast<uint32_t>(side.operands.size()));
  // Control predecessors may come later: they count by what they compute.
  std::vector<uint32_t> content = side.deep;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    for (uint32_t p : order_.ControlPredecessors(c, i)) {
      content.push_back(
          numbers->deep.Of({~uint32_t{0}, side.deep[i], side.deep[p]}));
    }
  }
  std::sort(content.begin(), content.end());
  contents_[c] = numbers->contents.Of(std::move(content));
  side.root = data_.computations[c].root;
  side.order = order_.Of(c, /*scheduled=*/true);
  side.HashUses();
}

class Differ {
 public:
  Differ(const Module& a, const Module& b, const DiffOptions& options)
      : options_(options),
        a_(a, options, &numbers_),
        b_(b, options, &numbers_),
        partner_a_(a_.size(), kUnmatched),
        partner_b_(b_.size(), kUnmatched) {
    CompareHeaders(a, b);
  }

  ModuleDiff Run();

 private:
  // A line of the comparison: ' ', '-' or '+'.
  struct Line {
    char kind;
    uint32_t position;  // in b for '+', in a otherwise
  };

  std::string HeaderOf(const Module& module) const;
  void CompareHeaders(const Module& a, const Module& b);
  void Pair(uint32_t a, uint32_t b) {
    partner_a_[a] = b;
    partner_b_[b] = a;
    work_.emplace_back(a, b);
  }
  // Pairs what isn't yet: equal computations, then those of one name.
  void PairTheRest();
  void Compare(uint32_t a, uint32_t b);
  // Instruction i of `a` is j of `b`, as `match` says of what they use.
  bool IsSame(uint32_t a, uint32_t b, uint32_t i, uint32_t j,
              const std::vector<uint32_t>& match);
  bool CalleesMatch(uint32_t a, uint32_t b, uint32_t i, uint32_t j);
  bool PredecessorsMatch(uint32_t a, uint32_t b, uint32_t i, uint32_t j,
                         const std::vector<uint32_t>& match);
  void Show(uint32_t a, uint32_t b, const std::vector<Line>& lines);
  // A computation that only one side has.
  void ShowWhole(Side* side, uint32_t c, char kind);
  void ShowLine(char kind, absl::string_view text);

  const DiffOptions options_;
  AllNumbers numbers_;
  Side a_;
  Side b_;
  std::vector<uint32_t> partner_a_;
  std::vector<uint32_t> partner_b_;
  std::deque<std::pair<uint32_t, uint32_t>> work_;
  ModuleDiff diff_;
};

ModuleDiff Differ::Run() {
  if (a_.size() > 0 && b_.size() > 0) Pair(a_.entry(), b_.entry());
  while (true) {
    while (!work_.empty()) {
      const auto [a, b] = work_.front();
      work_.pop_front();
      if (a_.content(a) != b_.content(b)) Compare(a, b);
    }
    PairTheRest();
    if (work_.empty()) break;
  }
  for (uint32_t a = 0; a < a_.size(); ++a) {
    if (partner_a_[a] == kUnmatched) ShowWhole(&a_, a, '-');
  }
  for (uint32_t b = 0; b < b_.size(); ++b) {
    if (partner_b_[b] == kUnmatched) ShowWhole(&b_, b, '+');
  }
  return std::move(diff_);
}

std::string Differ::HeaderOf(const Module& module) const {
  PrintOptions options;
  options.ids = false;  // without the module's name
  if (options_.layouts) return HloPrinter(module, options).HeaderText();
  // Without entry_computation_layout: parameters and results are compared.
  std::string header;
  AppendModuleHeader(
      module, "", options, [] {}, &header);
  return header;
}

void Differ::CompareHeaders(const Module& a, const Module& b) {
  const std::string header_a = HeaderOf(a);
  const std::string header_b = HeaderOf(b);
  if (header_a == header_b) return;
  ShowLine('-', header_a);
  ShowLine('+', header_b);
}

void Differ::PairTheRest() {
  for (const bool by_content : {true, false}) {
    absl::flat_hash_map<std::string, std::vector<uint32_t>> rest;
    const auto key = [&](const Side& side, uint32_t c) {
      return by_content ? absl::StrCat(side.content(c)) : side.Name(c);
    };
    for (uint32_t n = b_.size(); n > 0; --n) {
      const uint32_t b = n - 1;
      if (partner_b_[b] == kUnmatched) rest[key(b_, b)].push_back(b);
    }
    if (rest.empty()) return;
    // Callers first: they pair what they call.
    for (uint32_t n = a_.size(); n > 0; --n) {
      const uint32_t a = n - 1;
      if (partner_a_[a] != kUnmatched) continue;
      const auto it = rest.find(key(a_, a));
      if (it == rest.end() || it->second.empty()) continue;
      Pair(a, it->second.back());
      it->second.pop_back();
    }
  }
}

bool Differ::CalleesMatch(uint32_t a, uint32_t b, uint32_t i, uint32_t j) {
  const auto callees_a = a_.Callees(a, i), callees_b = b_.Callees(b, j);
  if (callees_a.size() != callees_b.size()) return false;
  for (size_t k = 0; k < callees_a.size(); ++k) {
    const uint32_t p = callees_a[k], q = callees_b[k];
    if (partner_a_[p] == kUnmatched && partner_b_[q] == kUnmatched) Pair(p, q);
    if (partner_a_[p] != q && a_.content(p) != b_.content(q)) return false;
  }
  return true;
}

bool Differ::PredecessorsMatch(uint32_t a, uint32_t b, uint32_t i, uint32_t j,
                               const std::vector<uint32_t>& match) {
  std::vector<uint32_t> of_a = a_.Predecessors(a, i);
  std::vector<uint32_t> of_b = b_.Predecessors(b, j);
  if (of_a.size() != of_b.size()) return false;
  for (uint32_t& p : of_a) p = match[p];
  std::sort(of_a.begin(), of_a.end());
  std::sort(of_b.begin(), of_b.end());
  return of_a == of_b;
}

bool Differ::IsSame(uint32_t a, uint32_t b, uint32_t i, uint32_t j,
                    const std::vector<uint32_t>& match) {
  const MatchSide& side_a = a_.computation(a);
  const MatchSide& side_b = b_.computation(b);
  // Pairs callees even where something else differs.
  const bool callees = CalleesMatch(a, b, i, j);
  if (!callees || side_a.signature[i] != side_b.signature[j]) return false;
  const auto operands_a = side_a.Operands(i), operands_b = side_b.Operands(j);
  if (operands_a.size() != operands_b.size()) return false;
  for (size_t k = 0; k < operands_a.size(); ++k) {
    const uint32_t p = operands_a[k], q = operands_b[k];
    if (match[p] != q && side_a.deep[p] != side_b.deep[q]) return false;
  }
  return PredecessorsMatch(a, b, i, j, match);
}

void Differ::Compare(uint32_t a, uint32_t b) {
  const MatchSide& side_a = a_.computation(a);
  const MatchSide& side_b = b_.computation(b);
  const std::vector<uint32_t> match = MatchInstructions(side_a, side_b);
  // What only b has is shown after what stands before it in b.
  std::vector<uint32_t> match_b(side_b.size(), kUnmatched);
  for (uint32_t i = 0; i < match.size(); ++i) {
    if (match[i] != kUnmatched) match_b[match[i]] = i;
  }
  std::vector<std::vector<uint32_t>> added(side_a.size());
  std::vector<uint32_t> added_first;
  std::vector<uint32_t>* place = &added_first;
  for (uint32_t j : side_b.order) {
    if (match_b[j] == kUnmatched) {
      place->push_back(j);
    } else {
      place = &added[match_b[j]];
    }
  }
  std::vector<Line> lines;
  for (uint32_t j : added_first) lines.push_back({'+', j});
  for (uint32_t i : side_a.order) {
    const uint32_t j = match[i];
    if (j == kUnmatched) {
      lines.push_back({'-', i});
    } else if (IsSame(a, b, i, j, match)) {
      lines.push_back({' ', i});
    } else {
      lines.push_back({'-', i});
      lines.push_back({'+', j});
    }
    for (uint32_t k : added[i]) lines.push_back({'+', k});
  }
  Show(a, b, lines);
}

void Differ::Show(uint32_t a, uint32_t b, const std::vector<Line>& lines) {
  const size_t context = static_cast<size_t>(std::max(options_.context, 0));
  // How many lines ago and ahead the nearest change is, as far as it counts.
  std::vector<bool> shown(lines.size());
  bool any = false;
  for (size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].kind == ' ') continue;
    any = true;
    const size_t end = std::min(lines.size(), n + context + 1);
    for (size_t k = n - std::min(n, context); k < end; ++k) shown[k] = true;
  }
  if (!any) return;
  const std::string name_a = a_.Name(a), name_b = b_.Name(b);
  absl::StrAppend(&diff_.text, "@@ ", name_a, name_a == name_b ? "" : " | ",
                  name_a == name_b ? "" : name_b, " @@\n");
  for (size_t n = 0; n < lines.size(); ++n) {
    if (!shown[n]) {
      if (n > 0 && shown[n - 1]) absl::StrAppend(&diff_.text, "   ...\n");
      continue;
    }
    ShowLine(lines[n].kind, lines[n].kind == '+'
                                ? b_.Line(b, lines[n].position)
                                : a_.Line(a, lines[n].position));
  }
}

void Differ::ShowWhole(Side* side, uint32_t c, char kind) {
  absl::StrAppend(&diff_.text, "@@ ", side->Name(c), " @@\n");
  for (uint32_t i : side->computation(c).order) {
    ShowLine(kind, side->Line(c, i));
  }
}

void Differ::ShowLine(char kind, absl::string_view text) {
  if (kind == '-') ++diff_.removed;
  if (kind == '+') ++diff_.added;
  const bool color = options_.color && kind != ' ';
  absl::StrAppend(&diff_.text,
                  color ? (kind == '-' ? kColorRemoved : kColorAdded) : "");
  absl::StrAppend(&diff_.text, absl::string_view(&kind, 1), "  ", text,
                  color ? kColorEnd : "", "\n");
}

}  // namespace

ModuleDiff DiffModules(const Module& a, const Module& b,
                       const DiffOptions& options) {
  return Differ(a, b, options).Run();
}

}  // namespace indim

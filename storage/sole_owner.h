// Is one shared pointer the last?

#ifndef INDIM_STORAGE_SOLE_OWNER_H_
#define INDIM_STORAGE_SOLE_OWNER_H_

#include <memory>

namespace indim {

// Whether nobody else holds what `pointer` holds, which its holder may then
// change: what other threads did with it before they let go has happened before
// this returns. Nobody may copy `pointer` itself meanwhile.
template <typename T>
bool IsSoleOwner(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  // use_count() orders nothing. Giving a share back does: it is the step that
  // makes destroying safe after the last.
  std::shared_ptr<T>(pointer).reset();
  return true;
}

}  // namespace indim

#endif  // INDIM_STORAGE_SOLE_OWNER_H_

# SPDX-License-Identifier: Apache-2.0
# The parts of Abseil that headers and sources of the library include.
set(INDIM_ABSL absl::algorithm_container absl::base absl::bits absl::cord absl::core_headers absl::flat_hash_map
  absl::flat_hash_set absl::function_ref absl::hash absl::inlined_vector absl::int128 absl::span absl::status
  absl::statusor absl::str_format absl::strings)

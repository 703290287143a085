#include "shard/core/manifest_edit.hh"

#include <gtest/gtest.h>

namespace {

using shard::high_water_marks;

TEST(manifest_edit, marks_come_back) {
    const high_water_marks marks{7, base::sequence{1'000'000}, base::tick{639'000'000'000'000'000}};
    const auto bytes = shard::encode(marks);
    EXPECT_EQ(shard::decode_manifest_edit(bytes).value(), marks);
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(shard::decode_manifest_edit(bytes.substr(0, length))) << length;
    }
    EXPECT_FALSE(shard::decode_manifest_edit(bytes + "x"));
}

TEST(manifest_edit, a_kind_of_a_later_version_is_told_apart_from_damage) {
    EXPECT_EQ(shard::decode_manifest_edit("\x09whatever").error().code, base::errc::newer_format);
}

TEST(manifest_edit, marks_only_rise) {
    high_water_marks marks{2, base::sequence{50}, base::tick{10}};
    marks.raise_to({1, base::sequence{60}, base::tick{9}});
    EXPECT_EQ(marks, (high_water_marks{2, base::sequence{60}, base::tick{10}}));
}

} // namespace

#include "shard/core/manifest_state.hh"

#include <gtest/gtest.h>

namespace {

using shard::high_water_marks;

TEST(manifest_edit, marks_come_back) {
    const high_water_marks marks{7, base::sequence{1'000'000}, base::tick{639'000'000'000'000'000}};
    const auto bytes = shard::encode(marks);
    EXPECT_EQ(shard::decode_manifest_edit(bytes).value(), shard::manifest_edit(marks));
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(shard::decode_manifest_edit(bytes.substr(0, length))) << length;
    }
    EXPECT_FALSE(shard::decode_manifest_edit(bytes + "x"));
}

TEST(manifest_edit, files_come_back) {
    const shard::manifest_edit edit =
        shard::files_edit{shard::log_owner::records, {3, 2, base::sequence{77}}, {"old"}, {{"new", "facts"}, {"newer", ""}}};
    const auto bytes = shard::encode(edit);
    EXPECT_EQ(shard::decode_manifest_edit(bytes).value(), edit);
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(shard::decode_manifest_edit(bytes.substr(0, length))) << length;
    }
}

TEST(manifest_state, files_live_from_the_edit_that_adds_them_to_the_one_that_removes_them) {
    shard::manifest_state state;
    state.apply(shard::files_edit{shard::log_owner::records, {3, 2, base::sequence{77}}, {}, {{"a", "1"}, {"b", "2"}}});
    state.apply(shard::files_edit{shard::log_owner::records, {}, {"a"}, {{"c", "3"}}});
    EXPECT_EQ(state.files(shard::log_owner::records), (std::map<std::string, std::string>{{"b", "2"}, {"c", "3"}}));
    EXPECT_EQ(state.flushed(shard::log_owner::records), (shard::flushed_mark{3, 2, base::sequence{77}}));
    EXPECT_TRUE(state.files(shard::log_owner::rows).empty()) << "each owner has its own";
}

TEST(manifest_edit, what_is_taken_from_files_of_others_comes_back) {
    const shard::manifest_edit edit = shard::files_edit{
        .removed = {"old"}, .added = {{"new", "facts"}}, .released = {{"theirs@0", "slots"}, {"theirs@512", ""}}};
    const auto bytes = shard::encode(edit);
    EXPECT_EQ(bytes.front(), 4);
    EXPECT_EQ(shard::decode_manifest_edit(bytes).value(), edit);
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(shard::decode_manifest_edit(bytes.substr(0, length))) << length;
    }
    EXPECT_EQ(shard::encode(shard::files_edit{.added = {{"new", "facts"}}}).front(), 2)
        << "an edit without any is as it always was";
}

TEST(manifest_state, what_was_released_stays_until_it_is_removed) {
    shard::manifest_state state, again;
    state.apply(shard::files_edit{.added = {{"mine", ""}}, .released = {{"theirs@0", "1"}, {"theirs@512", "1"}}});
    state.apply(shard::files_edit{.released = {{"theirs@0", "2"}}});
    state.apply(shard::files_edit{.removed = {"theirs@512"}});
    for (const auto& edit : state.snapshot()) {
        again.apply(edit);
    }
    EXPECT_EQ(again.released(shard::log_owner::rows), (std::map<std::string, std::string>{{"theirs@0", "2"}}));
    EXPECT_EQ(again.files(shard::log_owner::rows), (std::map<std::string, std::string>{{"mine", ""}}));
}

TEST(manifest_state, a_snapshot_leads_to_the_same_state) {
    shard::manifest_state state, again;
    state.apply(high_water_marks{7, base::sequence{1'000}, base::tick{5}});
    for (int i = 0; i < 5'000; ++i) {
        state.apply(shard::files_edit{shard::log_owner::rows,
                                      {1, 1, base::sequence{static_cast<uint64_t>(i)}},
                                      {},
                                      {{std::to_string(i), std::string(100, 'x')}}});
    }
    const auto edits = state.snapshot();
    EXPECT_GT(edits.size(), 2u);
    for (const auto& edit : edits) {
        EXPECT_LT(shard::encode(edit).size(), size_t{512} << 10);
        again.apply(edit);
    }
    EXPECT_EQ(again.files(shard::log_owner::rows), state.files(shard::log_owner::rows));
    EXPECT_EQ(again.marks(), state.marks());
    EXPECT_EQ(again.flushed(shard::log_owner::rows), state.flushed(shard::log_owner::rows));
}

TEST(manifest_state, a_snapshot_of_many_releases_is_in_edits_that_an_edit_log_takes) {
    shard::manifest_state state, again;
    for (int i = 0; i < 50'000; ++i) {
        state.apply(shard::files_edit{.released = {{std::to_string(i), std::string(32, 'x')}}});
    }
    for (const auto& edit : state.snapshot()) {
        EXPECT_LT(shard::encode(edit).size(), size_t{512} << 10);
        again.apply(edit);
    }
    EXPECT_EQ(again.released(shard::log_owner::rows), state.released(shard::log_owner::rows));
}

TEST(manifest_state, the_last_mark_of_each_number_of_shards_stays) {
    shard::manifest_state state, again;
    for (const auto& mark : {shard::flushed_mark{3, 2, base::sequence{77}}, shard::flushed_mark{4, 5, base::sequence{80}},
                             shard::flushed_mark{5, 2, base::sequence{90}}, shard::flushed_mark{6, 3, base::sequence{95}}}) {
        state.apply(shard::files_edit{.flushed = mark});
    }
    for (const auto& edit : state.snapshot()) {
        again.apply(edit);
    }
    for (const auto* s : {&state, &again}) {
        EXPECT_EQ(s->flushed(shard::log_owner::rows), (shard::flushed_mark{6, 3, base::sequence{95}}));
        EXPECT_EQ(s->flushed_by_shards(shard::log_owner::rows),
                  (std::map<uint32_t, shard::flushed_mark>{
                      {2, {5, 2, base::sequence{90}}}, {3, {6, 3, base::sequence{95}}}, {5, {4, 5, base::sequence{80}}}}));
    }
}

TEST(manifest_edit, lanes_come_back_and_only_rise) {
    const shard::manifest_edit edit = shard::lane_mark{3, base::sequence{70}};
    const auto bytes = encode(edit);
    EXPECT_EQ(shard::decode_manifest_edit(bytes).value(), edit);
    EXPECT_FALSE(shard::decode_manifest_edit(bytes.substr(0, bytes.size() - 1)));
    shard::manifest_state state;
    state.apply(edit);
    state.apply(shard::lane_mark{3, base::sequence{60}});
    state.apply(shard::lane_mark{4, base::sequence{1}});
    shard::manifest_state again;
    for (const auto& e : state.snapshot()) {
        again.apply(e);
    }
    EXPECT_EQ(again.lanes(), (std::map<uint32_t, base::sequence>{{3, base::sequence{70}}, {4, base::sequence{1}}}));
}

TEST(manifest_edit, files_with_lanes_come_back) {
    const shard::manifest_edit edit =
        shard::files_edit{.owner = shard::log_owner::records, .added = {{"b", "f"}}, .lanes = {{1, base::sequence{7}}}};
    const auto bytes = shard::encode(edit);
    EXPECT_EQ(bytes, std::string("\x05\x02", 2) + std::string(20, '\0') +
                         std::string("\0\x01\x01"
                                     "b\x01"
                                     "f",
                                     6) +
                         std::string("\x01\x01\0\0\0\x07\0\0\0\0\0\0\0", 13))
        << "as FORMAT.md has it";
    EXPECT_EQ(shard::decode_manifest_edit(bytes).value(), edit);
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(shard::decode_manifest_edit(bytes.substr(0, length))) << length;
    }
}

TEST(manifest_state, files_and_lanes_of_one_edit_are_kept_by_a_snapshot) {
    shard::manifest_state state, again;
    state.apply(shard::files_edit{.owner = shard::log_owner::records, .flushed = {3, 2, base::sequence{77}}});
    state.apply(shard::files_edit{
        .owner = shard::log_owner::records, .added = {{"b", "f"}}, .lanes = {{1, base::sequence{90}}, {3, base::sequence{80}}}});
    for (const auto& edit : state.snapshot()) {
        again.apply(edit);
    }
    EXPECT_EQ(again.lanes(), (std::map<uint32_t, base::sequence>{{1, base::sequence{90}}, {3, base::sequence{80}}}));
    EXPECT_EQ(again.files(shard::log_owner::records), (std::map<std::string, std::string>{{"b", "f"}}));
    EXPECT_EQ(again.flushed(shard::log_owner::records), (shard::flushed_mark{3, 2, base::sequence{77}}));
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

// Which records of a block match the tests of texts, as far as that can be said without putting texts together. It never guesses:
// what it does not know it says so, and learns from what is found out then.
//
//   screen.enter(block);
//   switch (screen.look_at(i)) { ... unknown: screen.learn(matches); }
//
// Templates that cannot have what is looked for are ruled out as a whole. Where tests cannot tell one digit from another and look
// for nothing that could be in other variables, all texts of a template whose variables have the same sizes, and with their
// message in the same place, are alike: the first of them decides. Where a needle has digits, the words with variables are looked
// through.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "blobs/core/block_reader.hh"
#include "blobs/core/predicate.hh"

namespace blobs {

class text_screen {
public:
    // Outlives it.
    explicit text_screen(const compiled_predicate&);

    enum class verdict : uint8_t { no, yes, unknown };

    // The block stays until the next call, and is used only for searching.
    void enter(block_reader&);
    // Of the whole content of record i. Needs: i below the block's size.
    verdict look_at(size_t i);
    // Whether the record last looked at, which was unknown, matches.
    void learn(bool matches);

private:
    enum class way : uint8_t { undecided, never, by_sizes, by_words, by_text };
    struct template_state {
        way how = way::undecided;
        uint32_t begin = 0; // of its keys or of what was found
    };
    // What texts that are alike have in common.
    struct memo_key {
        uint64_t sizes = 0;
        uint64_t before = 0; // the message
        uint64_t behind = 0;
        uint32_t shape = 0; // 0: nothing is here

        bool operator==(const memo_key&) const = default;
        size_t hash() const;
    };
    struct memo {
        memo_key key;
        verdict known = verdict::unknown;
    };

    struct wanted_needle {
        const needle* what;
        std::optional<bool>
            is_fixed; // in this block, where a template has other variables than numbers; nothing before it was asked
    };

    void decide(uint32_t t);
    bool is_ruled_out(uint32_t t);
    bool is_blind(uint32_t t);
    bool is_fixed(wanted_needle&, bool has_only_digits) const;
    verdict recall(const memo_key&);
    void grow_memos();

    const compiled_predicate& _predicate;
    std::vector<wanted_needle> _needles; // of all tests
    std::string_view _piece;             // the longest that a word must have, or empty
    block_reader* _block = nullptr;
    std::vector<template_state> _templates;
    std::vector<uint64_t> _keys;
    std::vector<uint8_t> _found;
    std::vector<memo> _memos; // by hash, each in the next free place
    size_t _memos_count = 0;
    memo* _last = nullptr; // what learn() is about, or nothing
};

} // namespace blobs

#include "tests/torture/entity_load.hh"

#include <thread>

#include <fmt/format.h>

#include "tests/torture/table_client.hh"

namespace torture {
namespace {

// Few, so that the same entities are met again and again.
constexpr unsigned partitions_count = 3;
constexpr unsigned rows_count = 6;
constexpr unsigned properties_count = 4;
// Of a hundred changes.
constexpr unsigned drops_share = 2;
constexpr unsigned transactions_share = 30;
constexpr size_t value_length_max = 400;

step random_step(std::mt19937_64& random, std::string partition, unsigned row, uint64_t change) {
    step s{static_cast<verb>(random() % 6), std::move(partition), fmt::format("r{}", row)};
    if (s.what != verb::remove) {
        const auto count = 1 + random() % properties_count;
        for (size_t i = 0; i < count; ++i) {
            s.properties.emplace(fmt::format("p{}", random() % properties_count),
                                 fmt::format("{}-{}", change, std::string(random() % value_length_max, 'a' + change % 26)));
        }
    }
    return s;
}

std::string random_partition(std::mt19937_64& random) {
    return fmt::format("part{}", random() % partitions_count);
}

bool is_refusal(int status, bool was_stepped) {
    // A time signed before a step of the clock is not believed after it.
    return status == 503 || (status == 403 && was_stepped);
}

} // namespace

entity_load::entity_load(unsigned number, verdict& v) : _oracle(fmt::format("Torture{}", number), v) {}

table_change entity_load::next_change(std::mt19937_64& random) {
    const auto kind = random() % 100;
    ++_changes_count;
    if (!_was_made || kind < drops_share) {
        return {_was_made ? table_change::kind::drop : table_change::kind::create};
    }
    if (kind >= drops_share + transactions_share) {
        return {table_change::kind::write,
                {random_step(random, random_partition(random), random() % rows_count, _changes_count)}};
    }
    table_change change{table_change::kind::write};
    const auto partition = random_partition(random);
    for (unsigned row = 0; row < rows_count; ++row) {
        if (random() % 2 == 0) {
            change.steps.push_back(random_step(random, partition, row, _changes_count));
            // Most transactions should have a chance.
            if (random() % 8 != 0) {
                change.steps.back().what = random() % 2 == 0 ? verb::insert_or_replace : verb::insert_or_merge;
                change.steps.back().properties.emplace("p0", fmt::format("{}", _changes_count));
            }
        }
    }
    if (change.steps.empty()) {
        change.steps.push_back({verb::insert_or_replace, partition, "r0", {{"p0", fmt::format("{}", _changes_count)}}});
    }
    return change;
}

void entity_load::run(site& s, std::mt19937_64& random) {
    std::thread reader([this, &s, seed = random()] { read_while_written(s, seed); });
    table_client client(s.table_port, s.clock);
    while (!s.is_over) {
        auto change = next_change(random);
        const auto kind = change.what;
        const auto steps_before = s.clock.steps_count();
        _oracle.sent(change);
        const int status = client.change(_oracle.name(), change);
        if (status == 0 || (status >= 500 && status != 503) || (status == 503 && s.is_over)) {
            _oracle.unknown();
            if (!s.is_over) {
                s.found.violated("P4",
                                 fmt::format("{}: no outcome ({}) while the server was not taken away", _oracle.name(), status));
            }
            break;
        }
        if (is_refusal(status, steps_before != s.clock.steps_count())) {
            _oracle.refused();
            continue;
        }
        _oracle.answered(status);
        ++_acknowledged_count;
        if (kind != table_change::kind::write) {
            _was_made = kind == table_change::kind::create;
        }
    }
    reader.join();
}

void entity_load::read_while_written(site& s, uint64_t seed) {
    std::mt19937_64 random(seed);
    table_client client(s.table_port, s.clock);
    while (!s.is_over) {
        const auto partition = random_partition(random);
        const auto steps_before = s.clock.steps_count();
        const auto begun = _oracle.begin_read();
        const auto seen = client.read(_oracle.name(), partition);
        if (seen) {
            _oracle.check_read(begun, *seen, partition, "while it is written");
            ++_acknowledged_count;
        } else if (!s.is_over && steps_before == s.clock.steps_count()) {
            s.found.violated("P1", fmt::format("{}: a partition could not be read", _oracle.name()));
        }
    }
}

size_t entity_load::verify(site& s, depth, damage expected) {
    table_client client(s.table_port, s.clock);
    const auto seen = client.read(_oracle.name());
    if (!seen) {
        if (expected == damage::none) {
            s.found.violated("P3", fmt::format("{}: cannot be read", _oracle.name()));
        }
        return 1;
    }
    _oracle.check_settled(*seen, "after a start");
    _was_made = seen->exists;
    return 0;
}

} // namespace torture

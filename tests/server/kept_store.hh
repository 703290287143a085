// Stores that earlier versions wrote are kept in tests/server/data, each with what it has to answer:
//
//   NAME.tar.zst    a data directory as a kill left it: rows in segments, records in blobs, and more of both in the logs
//   NAME.answers    questions and their answers
//
// `tests/server/data/make` adds one of the present version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/server/server_process.hh"

namespace testing_lib {

// What to ask: "native /v1/..." or "table /Tables...", the path behind the account, escaped.
using question = std::string;

struct known_answer {
    question asked;
    std::string answer;

    bool operator==(const known_answer&) const = default;
};

// Status and body, without what differs from one process to the next.
std::string ask(const running_server&, const question&);

// Of a file NAME.answers.
std::string to_text(const std::vector<known_answer>&);
std::vector<known_answer> parse_answers(std::string_view);

// Throw a sentence.
void pack(const std::string& directory, const std::string& archive);
void unpack(const std::string& archive, const std::string& directory);
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

} // namespace testing_lib

#include "tests/server/kept_store.hh"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <zstd.h>

#include "tests/server/signed_client.hh"

namespace testing_lib {
namespace {

constexpr std::string_view question_mark = "? ";
constexpr int compression_level = 19;

void replace_all(std::string& text, const std::string& what, std::string_view by) {
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
        text.replace(at, what.size(), by);
    }
}

std::string ask_native(const running_server& server, const std::string& path) {
    const bool has_rows = path.starts_with("/v1/range") || path.starts_with("/v1/tail");
    const auto reply =
        cli::send({"127.0.0.1", server.port}, {.path = path, .accept = has_rows ? "application/x-ndjson" : "application/json"});
    return reply ? fmt::format("{}\n{}", reply->status, reply->body) : base::to_string(reply.error());
}

// An error names the request and when it came.
void cut_request(std::string& text) {
    const auto begin = text.find("\\nRequestId:");
    if (begin != text.npos) {
        text.erase(begin, text.find('"', begin) - begin);
    }
}

std::string ask_table(const running_server& server, const std::string& path) {
    const auto reply =
        signed_client(server.table_port).call("GET", path, "", {{"Accept", "application/json;odata=fullmetadata"}});
    auto text = fmt::format("{}\n{}", reply.status, reply.body);
    replace_all(text, fmt::format("127.0.0.1:{}", server.table_port), "HOST");
    cut_request(text);
    replace_all(text, ",{\"odata.type\"", ",\n{\"odata.type\""); // an entity a line
    return text;
}

void run(const std::string& command) {
    if (std::system(command.c_str()) != 0) {
        throw std::runtime_error("failed: " + command);
    }
}

} // namespace

std::string ask(const running_server& server, const question& what) {
    const auto path = what.substr(what.find(' ') + 1);
    auto answer = what.starts_with("table ") ? ask_table(server, path) : ask_native(server, path);
    while (answer.ends_with('\n')) {
        answer.pop_back();
    }
    return answer;
}

std::string to_text(const std::vector<known_answer>& all) {
    std::string text;
    for (const auto& [asked, answer] : all) {
        text += fmt::format("{}{}\n{}\n\n", question_mark, asked, answer);
    }
    return text;
}

std::vector<known_answer> parse_answers(std::string_view text) {
    std::vector<known_answer> all;
    while (text.starts_with(question_mark)) {
        const auto end = std::min(text.find(fmt::format("\n\n{}", question_mark)), text.size() - 2);
        const auto line_end = text.find('\n');
        all.push_back({std::string(text.substr(question_mark.size(), line_end - question_mark.size())),
                       std::string(text.substr(line_end + 1, end - line_end - 1))});
        text.remove_prefix(end + 2);
    }
    return all;
}

// Logs are made ahead at their full size: most of them is holes.
void pack(const std::string& directory, const std::string& archive) {
    const auto plain = archive + ".plain";
    run(fmt::format(
        "tar --sparse --hole-detection=raw --sort=name --owner=0 --group=0 --numeric-owner --exclude=./LOCK -cf '{}' -C "
        "'{}' .",
        plain, directory));
    const auto bytes = read_file(plain);
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), compression_level);
    if (ZSTD_isError(size) != 0) {
        throw std::runtime_error(ZSTD_getErrorName(size));
    }
    write_file(archive, std::string_view(packed).substr(0, size));
    std::remove(plain.c_str());
}

void unpack(const std::string& archive, const std::string& directory) {
    const auto packed = read_file(archive);
    std::string bytes(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
    const auto size = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0 || size != bytes.size()) {
        throw std::runtime_error(archive + " cannot be unpacked");
    }
    const auto plain = directory + "/plain.tar";
    write_file(plain, bytes);
    run(fmt::format("tar -xf '{}' -C '{}'", plain, directory));
    std::remove(plain.c_str());
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream content;
    content << in.rdbuf();
    if (!in) {
        throw std::runtime_error(path + " cannot be read");
    }
    return content.str();
}

void write_file(const std::string& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    if (!out.flush()) {
        throw std::runtime_error(path + " cannot be written");
    }
}

} // namespace testing_lib

// Asks a server the same questions again and again over one keep-alive connection, and says how long the answers took.
//
//   query_load PORT HOSTS SECONDS <QUESTIONS
//
// A question is a line: its name, a tab, and path and query as a person would write them. {a} to {h} become the numbers of eight
// different hosts below HOSTS, others for each request but the same for each server. One line of JSON for each question.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bench/http_client.hh"
#include "bench/latencies.hh"

namespace {

using clock_type = bench::latencies::clock;

constexpr unsigned hosts_of_question = 8;
constexpr int warming_requests = 5;
constexpr size_t requests_min = 30;
constexpr size_t requests_max = 5'000;

std::string encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-._~/?&=,:;()*").contains(c)) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

// With hosts in place of their letters; the first is anyone, the others follow at a stride so that no two are equal.
std::string filled(std::string_view question, unsigned hosts, std::mt19937_64& random) {
    const auto first = random() % hosts;
    std::string out;
    for (size_t i = 0; i < question.size(); ++i) {
        const bool is_host = question[i] == '{' && i + 2 < question.size() && question[i + 2] == '}' && question[i + 1] >= 'a' &&
                             question[i + 1] < static_cast<char>('a' + hosts_of_question);
        if (is_host) {
            out +=
                fmt::format("{}", (first + static_cast<unsigned>(question[i + 1] - 'a') * (hosts / hosts_of_question)) % hosts);
            i += 2;
        } else {
            out += question[i];
        }
    }
    return out;
}

bool ask(bench::http_client& client, std::string_view name, std::string_view question, unsigned hosts, double seconds) {
    std::mt19937_64 random(1);
    bench::latencies took;
    size_t bytes = 0;
    const auto next = [&] {
        const auto head = fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", encoded(filled(question, hosts, random)));
        const auto start = clock_type::now();
        const auto reply = client.exchange(head);
        took.add(clock_type::now() - start);
        bytes = reply.body.size();
        if (reply.status != 200) {
            fmt::print(stderr, "{}: status {}: {:.300}\n", name, reply.status, reply.body);
        }
        return reply.status == 200;
    };
    for (int i = 0; i < warming_requests; ++i) {
        if (!next()) {
            return false;
        }
    }
    took = {};
    const auto end = clock_type::now() + std::chrono::duration<double>(seconds);
    while (took.count() < requests_min || (clock_type::now() < end && took.count() < requests_max)) {
        if (!next()) {
            return false;
        }
    }
    fmt::print("{{\"question\":\"{}\",\"requests\":{},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f},\"reply_bytes\":{}}}\n", name,
               took.count(), took.at(0.5), took.at(0.99), bytes);
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: query_load PORT HOSTS SECONDS <QUESTIONS\n");
        return 2;
    }
    bench::http_client client(static_cast<uint16_t>(std::atoi(argv[1])));
    const auto hosts = static_cast<unsigned>(std::atoi(argv[2]));
    bool is_whole = true;
    for (std::string line; std::getline(std::cin, line);) {
        const auto tab = line.find('\t');
        is_whole &= tab != std::string::npos && ask(client, line.substr(0, tab), line.substr(tab + 1), hosts, std::atof(argv[3]));
    }
    return is_whole ? 0 : 1;
}

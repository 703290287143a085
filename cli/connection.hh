// Which server a command talks to, and talking to it.
#pragma once

#include <string>

#include <boost/program_options/options_description.hpp>

#include "cli/http_client.hh"

namespace cli {

struct connection_options {
    // From DOWNTICK_SERVER, DOWNTICK_TOKEN and DOWNTICK_CA, or the usual place.
    connection_options();
    void add_to(boost::program_options::options_description&);

    std::string server = "http://127.0.0.1:8470";
    std::string token;
    std::string ca_file;
    bool is_insecure = false;

    base::expected<server_address> address() const;
};

// Prints the sentence to stderr and returns exit status 1.
int complain(const base::error&);

// Writes a piece of an answer to stdout; text that goes to a terminal, without what the terminal would obey. False when it
// cannot.
bool print_piece(std::string_view piece, bool is_text);

base::expected<response> ask(const connection_options&, call);
// The same; a reply that is an error becomes its message.
base::expected<response> ask_for_good(const connection_options&, call);
// Of a reply that is one: entity_not_found when it is 404.
base::error error_of(const connection_options&, const response&);

} // namespace cli

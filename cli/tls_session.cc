#include "cli/tls_session.hh"

#include <array>
#include <cerrno>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gnutls/gnutls.h>

namespace cli {

using base::errc;
using base::fail;

struct tls_session::state {
    gnutls_certificate_credentials_t credentials = nullptr;
    gnutls_session_t session = nullptr;
};

void tls_session::state_end::operator()(state* s) const {
    if (s->session != nullptr) {
        gnutls_deinit(s->session);
    }
    if (s->credentials != nullptr) {
        gnutls_certificate_free_credentials(s->credentials);
    }
    delete s;
}

namespace {

// Where machines keep whom they trust, when the library's own place has nothing.
constexpr std::array trust_files{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
                                 "/etc/ssl/ca-bundle.pem"};

base::expected<void> load_trust(gnutls_certificate_credentials_t credentials, const server_address& server) {
    if (!server.ca_file.empty()) {
        const int count = gnutls_certificate_set_x509_trust_file(credentials, server.ca_file.c_str(), GNUTLS_X509_FMT_PEM);
        return count > 0 ? base::expected<void>()
                         : fail(errc::invalid_argument, fmt::format("{}: no certificate can be read from it", server.ca_file));
    }
    int count = gnutls_certificate_set_x509_system_trust(credentials);
    for (size_t i = 0; count <= 0 && i < trust_files.size(); ++i) {
        count = gnutls_certificate_set_x509_trust_file(credentials, trust_files[i], GNUTLS_X509_FMT_PEM);
    }
    return {};
}

bool is_address(const std::string& host) {
    std::array<char, sizeof(in6_addr)> bytes;
    return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string why_refused(gnutls_session_t session) {
    gnutls_datum_t text{};
    const auto status = gnutls_session_get_verify_cert_status(session);
    if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) != GNUTLS_E_SUCCESS) {
        return "it cannot be verified";
    }
    std::string why(reinterpret_cast<const char*>(text.data), text.size);
    gnutls_free(text.data);
    return why.substr(0, why.find_last_not_of(" \n") + 1);
}

base::error handshake_error(gnutls_session_t session, int status, const server_address& server) {
    if (status == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
        return {errc::io_error,
                fmt::format("the certificate of {} is not trusted: {} Name the one to trust with --ca FILE, or trust "
                            "whoever answers with --insecure",
                            to_string(server), why_refused(session))};
    }
    return {errc::io_error,
            fmt::format("no TLS with {}: {}; is it a server without TLS (http://)?", to_string(server), gnutls_strerror(status))};
}

ssize_t as_of_socket(ssize_t status) {
    if (status >= 0) {
        return status;
    }
    if (status == GNUTLS_E_PREMATURE_TERMINATION) {
        return 0;
    }
    errno = gnutls_error_is_fatal(static_cast<int>(status)) == 0 ? EAGAIN : EIO;
    return -1;
}

} // namespace

base::expected<tls_session> tls_session::open(int fd, const server_address& server, const waiter& wait) {
    std::unique_ptr<state, state_end> s(new state());
    if (gnutls_certificate_allocate_credentials(&s->credentials) != GNUTLS_E_SUCCESS ||
        gnutls_init(&s->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) != GNUTLS_E_SUCCESS) {
        return fail(errc::io_error, "TLS cannot be started");
    }
    if (server.is_verified) {
        if (auto loaded = load_trust(s->credentials, server); !loaded) {
            return std::unexpected(loaded.error());
        }
        gnutls_session_set_verify_cert(s->session, server.host.c_str(), 0);
    }
    if (!is_address(server.host)) {
        gnutls_server_name_set(s->session, GNUTLS_NAME_DNS, server.host.data(), server.host.size());
    }
    gnutls_set_default_priority(s->session);
    gnutls_credentials_set(s->session, GNUTLS_CRD_CERTIFICATE, s->credentials);
    gnutls_transport_set_int(s->session, fd);
    for (int status = 0; (status = gnutls_handshake(s->session)) != GNUTLS_E_SUCCESS;) {
        if (gnutls_error_is_fatal(status) != 0) {
            return std::unexpected(handshake_error(s->session, status, server));
        }
        if (!wait(gnutls_record_get_direction(s->session) == 1)) {
            return fail(errc::timed_out, fmt::format("{} does not shake hands for TLS", to_string(server)));
        }
    }
    return tls_session(std::move(s));
}

ssize_t tls_session::send(std::string_view bytes) {
    return as_of_socket(gnutls_record_send(_state->session, bytes.data(), bytes.size()));
}

ssize_t tls_session::receive(std::span<char> buffer) {
    return as_of_socket(gnutls_record_recv(_state->session, buffer.data(), buffer.size()));
}

} // namespace cli

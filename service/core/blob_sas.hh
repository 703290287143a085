// Shared access signatures of the Blob service. Those of an account are as for tables (sas.hh); those of a container or a blob
// sign other fields:
//
//   sp, st, se, "/blob/" account "/" container ["/" blob], si, sip, spr, sv, sr, snapshot, [ses], rscc, rscd, rsce, rscl, rsct
#pragma once

#include <string>
#include <string_view>

#include "http/core/query_string.hh"
#include "service/core/sas.hh"

namespace service {

// What is asked for.
struct blob_target {
    std::string_view container; // empty: the account itself
    std::string_view blob;      // empty: the container itself
    bool is_list = false;       // of blobs or containers
};

// May this be read? Stored policies are not known here. AuthenticationFailed and the codes of verify_sas() and check_operation().
outcome<void> check_blob_sas(const http::query_string&, const blob_target&, const account_secrets&, const sas_facts&);

// The text that `sig` signs, of a container (sr=c) or a blob (sr=b).
std::string blob_sas_string_to_sign(const http::query_string&, const blob_target&, std::string_view account);

} // namespace service

#include "service/core/sas.hh"

#include <array>

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "http/core/percent.hh"
#include "service/core/base64.hh"

namespace {

using namespace service;
using fields = std::map<std::string, std::string>;

const std::string key =
    *decode_base64("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");
const std::vector<std::string> keys{"some other key", key};
const account_secrets account{"devstoreaccount1", keys};
const base::tick now = *base::parse_time("2026-11-16T12:00:00Z");

std::string to_query(const fields& parameters) {
    std::string query;
    for (const auto& [name, value] : parameters) {
        query += (query.empty() ? "" : "&") + name + "=" + http::percent_encode(value);
    }
    return query;
}

// The fields with the signature they need.
fields signed_fields(fields parameters, const std::string& with = key) {
    parameters["sig"] = "x";
    const auto query = http::query_string::parse(to_query(parameters));
    parameters["sig"] = sign(with, string_to_sign(*find_sas(*query), account.name));
    return parameters;
}

sas_facts facts_at(base::tick time = now) {
    return {.now = time, .peer_ipv4 = parse_ipv4("10.0.0.7"), .is_https = false};
}

outcome<sas_grant> verify(const fields& parameters, const sas_facts& facts = facts_at()) {
    const auto query = http::query_string::parse(to_query(parameters));
    const auto sas = find_sas(*query);
    return sas ? verify_sas(*sas, account, facts) : refuse(service_code::no_authentication_information);
}

service_code error_of(const fields& parameters, const sas_facts& facts = facts_at()) {
    const auto grant = verify(parameters, facts);
    EXPECT_FALSE(grant) << to_query(parameters);
    return grant ? service_code::internal_error : grant.error().code;
}

fields with(fields parameters, const fields& changes) {
    for (const auto& [name, value] : changes) {
        parameters[name] = value;
    }
    return parameters;
}

fields without(fields parameters, const std::string& name) {
    parameters.erase(name);
    return parameters;
}

const fields account_fields{{"sv", "2019-02-02"}, {"ss", "t"}, {"srt", "sco"}, {"sp", "rwdlau"}, {"se", "2099-01-01T00:00:00Z"}};
const fields table_fields{{"sv", "2019-02-02"}, {"tn", "People"}, {"sp", "raud"}, {"se", "2099-01-01T00:00:00Z"}};

// T115: vectors 4 to 8
TEST(sas, the_vectors_of_table_and_account_sas) {
    const struct {
        fields parameters;
        std::string_view text, signature;
    } cases[] = {
        {table_fields, "raud\n\n2099-01-01T00:00:00Z\n/table/devstoreaccount1/people\n\n\n\n2019-02-02\n\n\n\n",
         "2oadu6o0IKPsTtbXJcQTojHvtYzLk6U1WL88wZAoL+4="},
        {with(table_fields, {{"sp", "r"},
                             {"st", "2020-01-01T00:00:00Z"},
                             {"spr", "https,http"},
                             {"spk", "a"},
                             {"srk", "b"},
                             {"epk", "c"},
                             {"erk", "d"}}),
         "r\n2020-01-01T00:00:00Z\n2099-01-01T00:00:00Z\n/table/devstoreaccount1/people\n\n\nhttps,http\n2019-02-02\na\nb\nc\nd",
         "uVTnEUOfHvnvSqLsybdriUBHp8quKAiLPI41ID2C+5w="},
        {with(table_fields, {{"sp", "r"}, {"sv", "2013-08-15"}}),
         "r\n\n2099-01-01T00:00:00Z\n/devstoreaccount1/people\n\n2013-08-15\n\n\n\n",
         "1KJS9p1T6yMlINCl79xa/Nxi+jOkRHjkfsFL0s1ldCc="},
        {account_fields, "devstoreaccount1\nrwdlau\nt\nsco\n\n2099-01-01T00:00:00Z\n\n\n2019-02-02\n",
         "1f2RBT4/GDDLcbDYDcJHEVh8r0WUFwGsEgHrfLe0gxA="},
        {with(account_fields, {{"sv", "2021-06-08"}}),
         "devstoreaccount1\nrwdlau\nt\nsco\n\n2099-01-01T00:00:00Z\n\n\n2021-06-08\n\n",
         "fh8u7ZtQ2etR8arpvM/6nIt7a0277Hj8f9uWztRQyu8="},
    };
    for (const auto& c : cases) {
        const auto parameters = with(c.parameters, {{"sig", std::string(c.signature)}});
        const auto query = http::query_string::parse(to_query(parameters));
        EXPECT_EQ(string_to_sign(*find_sas(*query), "devstoreaccount1"), c.text);
        EXPECT_TRUE(verify(parameters)) << c.text;
    }
}

TEST(sas, between_the_two_forms_the_resource_names_the_service) {
    const auto query = http::query_string::parse(to_query(with(table_fields, {{"sv", "2015-02-21"}, {"sig", "x"}})));
    EXPECT_EQ(string_to_sign(*find_sas(*query), "acct"),
              "raud\n\n2099-01-01T00:00:00Z\n/table/acct/people\n\n2015-02-21\n\n\n\n");
}

TEST(sas, without_a_signature_it_is_no_sas_request) {
    EXPECT_FALSE(find_sas(*http::query_string::parse("$filter=x&sv=2019-02-02&tn=t")));
}

TEST(sas, either_key_signs) {
    EXPECT_TRUE(verify(signed_fields(table_fields, keys[0])));
    EXPECT_TRUE(verify(signed_fields(table_fields, keys[1])));
    EXPECT_EQ(error_of(signed_fields(table_fields, "a third")), service_code::authentication_failed);
}

TEST(sas, missing_fields_fail_authentication_even_when_signed) {
    for (auto name : {"sv", "se", "sp", "ss", "srt"}) {
        EXPECT_EQ(error_of(signed_fields(without(account_fields, name))), service_code::authentication_failed) << name;
    }
    for (auto name : {"sv", "tn", "se", "sp"}) {
        EXPECT_EQ(error_of(signed_fields(without(table_fields, name))), service_code::authentication_failed) << name;
    }
    EXPECT_EQ(error_of(with(table_fields, {{"sig", ""}})), service_code::authentication_failed);
    EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"srk", "a"}}))), service_code::authentication_failed);
    EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"erk", "a"}}))), service_code::authentication_failed);
}

TEST(sas, old_versions_and_user_delegation_are_refused) {
    EXPECT_EQ(error_of(signed_fields(with(account_fields, {{"sv", "2015-02-21"}}))), service_code::authentication_failed);
    EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"sv", "2011-08-18"}}))), service_code::authentication_failed);
    EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"sv", "2019"}}))), service_code::authentication_failed);
    EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"skoid", "x"}}))), service_code::authentication_failed);
    EXPECT_TRUE(verify(signed_fields(with(table_fields, {{"sv", "2012-02-12"}}))));
    EXPECT_TRUE(verify(signed_fields(with(account_fields, {{"sv", "2099-01-01"}}))));
}

// T123
TEST(sas, times_are_start_included_and_expiry_excluded) {
    const auto parameters = signed_fields(with(table_fields, {{"st", "2026-01-01"}, {"se", "2027-01-01T00:00Z"}}));
    const auto start = *base::parse_time("2026-01-01");
    const auto expiry = *base::parse_time("2027-01-01");
    EXPECT_EQ(error_of(parameters, facts_at({start.value - 1})), service_code::authentication_failed);
    EXPECT_TRUE(verify(parameters, facts_at(start)));
    EXPECT_TRUE(verify(parameters, facts_at({expiry.value - 1})));
    EXPECT_EQ(error_of(parameters, facts_at(expiry)), service_code::authentication_failed);
    for (auto time : {"2027-01-01T00:00:00.5Z", "2027-01-01"}) {
        EXPECT_TRUE(verify(signed_fields(with(table_fields, {{"se", time}})))) << time;
    }
    for (auto time : {"tomorrow", "2027-01-01T00:00:00", "2027-01-01T00:00:00+01:00", "2027-01-01 00:00:00Z", "2027-13-01"}) {
        EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"se", time}}))), service_code::authentication_failed) << time;
    }
    EXPECT_EQ(error_of(signed_fields(with(table_fields, {{"st", "yesterday"}}))), service_code::authentication_failed);
}

// T123
TEST(sas, stored_policies_fill_in_what_the_signature_leaves_open) {
    const auto expiry = base::parse_time("2027-01-01");
    const std::vector<signed_identifier> policies{
        {"readers", access_policy{.start = {}, .expiry = expiry, .permission = "r"}},
        {"bare", std::nullopt},
        {"timed", access_policy{.start = {}, .expiry = expiry, .permission = {}}},
        {"late", access_policy{.start = expiry, .expiry = base::tick_max, .permission = "r"}},
        {"old", access_policy{.start = {}, .expiry = now, .permission = "r"}}};
    auto facts = facts_at();
    facts.policies = policies;
    const fields refers{{"sv", "2019-02-02"}, {"tn", "People"}};
    const auto grant = verify(signed_fields(with(refers, {{"si", "readers"}})), facts);
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->permissions, letter_bits("r"));
    EXPECT_TRUE(verify(signed_fields(with(refers, {{"si", "timed"}, {"sp", "au"}})), facts));
    EXPECT_TRUE(verify(signed_fields(with(refers, {{"si", "bare"}, {"sp", "au"}, {"se", "2099-01-01"}})), facts));
    for (const auto& changes : std::vector<fields>{{{"si", "unknown"}},
                                                   {{"si", "Readers"}},
                                                   {{"si", "bare"}},
                                                   {{"si", "timed"}},
                                                   {{"si", "late"}},
                                                   {{"si", "old"}},
                                                   {{"si", "bare"}, {"sp", "r"}},
                                                   {{"si", "bare"}, {"se", "2099-01-01"}}}) {
        EXPECT_EQ(error_of(signed_fields(with(refers, changes)), facts), service_code::authentication_failed)
            << to_query(changes);
    }
    // Revoked: the policy is gone.
    EXPECT_EQ(error_of(signed_fields(with(refers, {{"si", "readers"}}))), service_code::authentication_failed);
}

// T124
TEST(sas, a_field_in_both_signature_and_policy_is_an_error) {
    const std::vector<signed_identifier> policies{
        {"p", access_policy{.start = base::tick{0}, .expiry = base::tick_max, .permission = "r"}}};
    auto facts = facts_at();
    facts.policies = policies;
    for (const auto& changes : std::vector<fields>{{{"st", "2020-01-01"}}, {{"se", "2099-01-01"}}, {{"sp", "r"}}}) {
        const auto parameters =
            signed_fields(with(with(fields{{"sv", "2019-02-02"}, {"tn", "People"}, {"si", "p"}}, changes), {}));
        EXPECT_EQ(error_of(parameters, facts), service_code::invalid_query_parameter_value) << to_query(changes);
    }
}

// T119
TEST(sas, address_protocol_and_service_have_codes_of_their_own) {
    const struct {
        fields changes;
        std::optional<service_code> wanted;
    } cases[] = {
        {{{"sip", "10.0.0.7"}}, std::nullopt},
        {{{"sip", "10.0.0.1-10.0.0.7"}}, std::nullopt},
        {{{"sip", "10.0.0.7-10.0.0.7"}}, std::nullopt},
        {{{"sip", "10.0.0.8"}}, service_code::authorization_source_ip_mismatch},
        {{{"sip", "10.0.0.8-10.0.1.0"}}, service_code::authorization_source_ip_mismatch},
        {{{"sip", "10.0.0.9-10.0.0.1"}}, service_code::authorization_source_ip_mismatch},
        {{{"sip", "10.0.0"}}, service_code::authorization_source_ip_mismatch},
        {{{"sip", "any"}}, service_code::authorization_source_ip_mismatch},
        {{{"spr", "https,http"}}, std::nullopt},
        {{{"spr", "https"}}, service_code::authorization_protocol_mismatch},
        {{{"spr", "http"}}, service_code::authorization_protocol_mismatch},
        {{{"ss", "bqf"}}, service_code::authorization_service_mismatch},
        {{{"ss", "btqf"}}, std::nullopt},
        // In this order.
        {{{"sip", "1.1.1.1"}, {"spr", "https"}, {"ss", "b"}}, service_code::authorization_source_ip_mismatch},
        {{{"spr", "https"}, {"ss", "b"}}, service_code::authorization_protocol_mismatch},
        {{{"sip", "1.1.1.1"}, {"se", "2020-01-01"}}, service_code::authentication_failed},
    };
    for (const auto& c : cases) {
        const auto grant = verify(signed_fields(with(account_fields, c.changes)));
        EXPECT_EQ(grant ? std::nullopt : std::optional(grant.error().code), c.wanted) << to_query(c.changes);
    }
    auto https = facts_at();
    https.is_https = true;
    EXPECT_TRUE(verify(signed_fields(with(account_fields, {{"spr", "https"}})), https));
    auto elsewhere = facts_at();
    elsewhere.peer_ipv4.reset();
    EXPECT_EQ(error_of(signed_fields(with(account_fields, {{"sip", "0.0.0.0-255.255.255.255"}})), elsewhere),
              service_code::authorization_source_ip_mismatch);
}

std::optional<service_code> refusal(const fields& parameters, operation wanted, std::string_view table) {
    const auto grant = verify(signed_fields(parameters));
    EXPECT_TRUE(grant);
    const auto checked = check_operation(*grant, wanted, table);
    return checked ? std::nullopt : std::optional(checked.error().code);
}

// T119
TEST(sas, account_sas_needs_the_type_and_the_letters_of_an_operation) {
    const auto types = service_code::authorization_resource_type_mismatch;
    const auto letters = service_code::authorization_permission_mismatch;
    const struct {
        operation wanted;
        std::string_view types, letters; // least that will do
    } cases[] = {
        {operation::get_properties, "s", "r"},
        {operation::get_stats, "s", "r"},
        {operation::set_properties, "s", "w"},
        {operation::query_tables, "c", "l"},
        {operation::get_table, "c", "l"},
        {operation::create_table, "c", "c"},
        {operation::create_table, "c", "w"},
        {operation::delete_table, "c", "d"},
        {operation::query_entities, "o", "r"},
        {operation::query_entities, "c", "r"},
        {operation::get_entity, "o", "r"},
        {operation::insert_entity, "o", "a"},
        {operation::replace_entity, "o", "u"},
        {operation::merge_entity, "o", "u"},
        {operation::insert_or_replace_entity, "o", "au"},
        {operation::insert_or_merge_entity, "o", "ua"},
        {operation::delete_entity, "o", "d"},
    };
    for (const auto& c : cases) {
        auto granted = [&](std::string_view srt, std::string sp) {
            return refusal(with(account_fields, {{"srt", std::string(srt)}, {"sp", std::move(sp)}}), c.wanted, "T");
        };
        EXPECT_EQ(granted(c.types, std::string(c.letters)), std::nullopt);
        for (const char missing : c.letters) {
            std::string rest = "xrwdlacup";
            std::erase_if(
                rest, [&](char l) { return l == missing || (c.wanted == operation::create_table && (l == 'c' || l == 'w')); });
            EXPECT_EQ(granted(c.types, rest), letters) << static_cast<int>(c.wanted) << ' ' << missing;
        }
        const std::string_view wrong_type = c.types == "s"                          ? "co"
                                            : c.wanted == operation::query_entities ? "s"
                                            : c.types == "c"                        ? "so"
                                                                                    : "sc";
        EXPECT_EQ(granted(wrong_type, "rwdlacup"), types) << static_cast<int>(c.wanted);
    }
    for (auto acl : {operation::get_acl, operation::set_acl}) {
        EXPECT_EQ(refusal(with(account_fields, {{"sp", "rwdlacup"}}), acl, "T"), service_code::authorization_failure);
    }
}

// T120, T121
TEST(sas, table_sas_opens_its_table_only) {
    const auto failure = service_code::authorization_failure;
    EXPECT_EQ(refusal(table_fields, operation::query_entities, "pEOPLE"), std::nullopt);
    EXPECT_EQ(refusal(table_fields, operation::batch, ""), std::nullopt);
    for (auto wanted : {operation::get_entity, operation::insert_entity, operation::replace_entity, operation::merge_entity,
                        operation::insert_or_merge_entity, operation::insert_or_replace_entity, operation::delete_entity,
                        operation::query_entities}) {
        EXPECT_EQ(refusal(table_fields, wanted, "people"), std::nullopt);
        EXPECT_EQ(refusal(table_fields, wanted, "people2"), failure);
        EXPECT_EQ(refusal(table_fields, wanted, ""), failure);
    }
    for (auto wanted :
         {operation::query_tables, operation::create_table, operation::get_table, operation::delete_table, operation::get_acl,
          operation::set_acl, operation::get_properties, operation::set_properties, operation::get_stats}) {
        EXPECT_EQ(refusal(table_fields, wanted, "People"), failure);
    }
    const auto letters = service_code::authorization_permission_mismatch;
    for (auto upsert : {operation::insert_or_merge_entity, operation::insert_or_replace_entity}) {
        EXPECT_EQ(refusal(with(table_fields, {{"sp", "u"}}), upsert, "People"), letters);
        EXPECT_EQ(refusal(with(table_fields, {{"sp", "a"}}), upsert, "People"), letters);
        EXPECT_EQ(refusal(with(table_fields, {{"sp", "au"}}), upsert, "People"), std::nullopt);
    }
}

// T122
TEST(sas, key_ranges_include_both_ends) {
    const struct {
        fields range;
        std::string_view partition_key, row_key;
        bool is_inside;
    } cases[] = {
        {{}, "", "", true},
        {{{"spk", "b"}}, "a", "z", false},
        {{{"spk", "b"}}, "b", "", true},
        {{{"spk", "b"}}, "c", "", true},
        {{{"spk", "b"}, {"srk", "m"}}, "b", "l", false},
        {{{"spk", "b"}, {"srk", "m"}}, "b", "m", true},
        {{{"spk", "b"}, {"srk", "m"}}, "c", "a", true},
        {{{"epk", "b"}}, "b", "zzz", true},
        {{{"epk", "b"}}, "ba", "", false},
        {{{"epk", "b"}}, "a", "z", true},
        {{{"epk", "b"}, {"erk", "m"}}, "b", "m", true},
        {{{"epk", "b"}, {"erk", "m"}}, "b", "ma", false},
        {{{"epk", "b"}, {"erk", "m"}}, "a", "z", true},
        {{{"epk", "b"}, {"erk", "m"}}, "c", "", false},
        {{{"spk", "a"}, {"srk", "b"}, {"epk", "c"}, {"erk", "d"}}, "a", "a", false},
        {{{"spk", "a"}, {"srk", "b"}, {"epk", "c"}, {"erk", "d"}}, "b", "", true},
        {{{"spk", "c"}, {"epk", "a"}}, "b", "", false},
        // Ordinal by UTF-16 unit: a surrogate pair sorts before U+E000 and up.
        {{{"spk", "\xee\x80\x80"}}, "😀", "", false},
        {{{"epk", "\xee\x80\x80"}}, "😀", "", true},
    };
    for (const auto& c : cases) {
        const auto grant = verify(signed_fields(with(table_fields, c.range)));
        ASSERT_TRUE(grant) << to_query(c.range);
        EXPECT_EQ(grant->covers(c.partition_key, c.row_key), c.is_inside)
            << to_query(c.range) << ' ' << c.partition_key << ' ' << c.row_key;
        const auto written = check_written_key(*grant, c.partition_key, c.row_key);
        EXPECT_EQ(written.has_value(), c.is_inside);
        if (!written) {
            EXPECT_EQ(written.error().code, service_code::authorization_failure);
            EXPECT_EQ(written.error().text(), "This request is not authorized to perform this operation.");
        }
    }
}

TEST(sas, account_sas_has_no_key_range) {
    const auto grant = verify(with(signed_fields(account_fields), {{"spk", "b"}, {"epk", "c"}}));
    ASSERT_TRUE(grant);
    EXPECT_TRUE(grant->covers("a", ""));
}

// Every change of one field, of one character of the signature, and every swap of fields: none passes, and none widens.
TEST(sas, no_mutation_is_accepted) {
    const auto seed = std::random_device{}();
    std::mt19937 random(seed);
    size_t forgeries = 0;
    const std::vector<fields> originals{
        account_fields,
        with(account_fields, {{"sv", "2021-06-08"},
                              {"st", "2020-01-01"},
                              {"sip", "10.0.0.0-10.0.0.255"},
                              {"spr", "https,http"},
                              {"ses", "scope"}}),
        table_fields,
        with(table_fields, {{"sp", "r"}, {"st", "2020-01-01"}, {"spk", "a"}, {"srk", "b"}, {"epk", "c"}, {"erk", "d"}}),
        with(table_fields, {{"sp", "r"}, {"sv", "2013-08-15"}, {"spk", "a"}}),
    };
    auto expect_refused = [&](const fields& forged) {
        ++forgeries;
        EXPECT_FALSE(verify(forged)) << to_query(forged) << " seed " << seed;
    };
    for (const auto& original : originals) {
        const auto good = signed_fields(original);
        ASSERT_TRUE(verify(good)) << to_query(good);
        for (const auto& [name, value] : good) {
            expect_refused(without(good, name));
            for (const std::string& changed :
                 {value + "x", "x" + value, value + "\n", value.substr(1), std::string("2098-01-01"), std::string("raudwlcp")}) {
                const bool is_unsigned = name == "ses" && original.at("sv") < "2020-12-06";
                if (changed != value && !is_unsigned) {
                    expect_refused(with(good, {{name, changed}}));
                }
            }
            // A line end moved from one field to the next keeps the signed text and must not keep the meaning.
            for (const auto& [other, text] : good) {
                if (other != name && !value.empty()) {
                    expect_refused(with(good, {{name, text}, {other, value}}));
                    expect_refused(with(without(good, other), {{name, value + "\n" + text}}));
                }
            }
        }
        for (size_t at = 0; at < good.at("sig").size(); ++at) {
            auto signature = good.at("sig");
            signature[at] = signature[at] == 'A' ? 'B' : 'A';
            expect_refused(with(good, {{"sig", signature}}));
        }
        for (const auto& extra :
             std::vector<fields>{{{"ss", "t"}}, {{"srt", "o"}}, {{"tn", "Orders"}}, {{"si", "p"}}, {{"skoid", "x"}}}) {
            if (!good.contains(extra.begin()->first) &&
                !(good.contains("ss") && (extra.contains("tn") || extra.contains("si")))) {
                expect_refused(with(good, extra));
            }
        }
    }
    EXPECT_GT(forgeries, 150U);
}

TEST(sas, addresses_are_four_numbers) {
    EXPECT_EQ(parse_ipv4("1.2.3.4"), 0x01020304U);
    EXPECT_EQ(parse_ipv4("255.255.255.255"), 0xffffffffU);
    for (auto text : {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "1.2.3.4 ", "a.b.c.d", "1..2.3", "::1"}) {
        EXPECT_FALSE(parse_ipv4(text)) << text;
    }
}

TEST(sas, an_ipv4_client_of_an_ipv6_listener_keeps_its_address) {
    const std::array<uint8_t, 16> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7};
    EXPECT_EQ(ipv4_of_mapped(mapped), parse_ipv4("10.0.0.7"));
    const std::array<uint8_t, 16> loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    EXPECT_FALSE(ipv4_of_mapped(loopback));
}

} // namespace

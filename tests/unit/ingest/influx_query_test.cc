#include "ingest/core/influx_query.hh"

#include <gtest/gtest.h>

namespace {

using ingest::classify_influx_query;
using ingest::influx_statement;

TEST(influx_query, what_clients_ask_at_their_start_is_known) {
    for (auto text : {"CREATE DATABASE telegraf", "create database \"x y\"", "  Create\tDatabase x WITH DURATION 1d;",
                      ";create database x"}) {
        EXPECT_EQ(classify_influx_query(text), influx_statement::create_database) << text;
    }
    EXPECT_EQ(classify_influx_query("SHOW DATABASES"), influx_statement::show_databases);
    EXPECT_EQ(classify_influx_query("show databases;"), influx_statement::show_databases);
}

TEST(influx_query, nothing_else_is) {
    for (auto text : {"", "SELECT * FROM cpu", "DROP DATABASE x", "CREATE", "CREATE DATABASES", "SHOW", "SHOW MEASUREMENTS",
                      "CREATEDATABASE x"}) {
        EXPECT_EQ(classify_influx_query(text), influx_statement::other) << text;
    }
}

} // namespace

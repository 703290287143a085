"""Everything the Python client can ask for, against the server whose connection string is in DOWNTICK_CONNECTION."""

import os
import unittest
import uuid
from datetime import datetime, timedelta, timezone

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.data.tables import (
    AccountSasPermissions,
    EdmType,
    EntityProperty,
    ResourceTypes,
    TableAccessPolicy,
    TableAnalyticsLogging,
    TableCorsRule,
    TableMetrics,
    TableRetentionPolicy,
    TableSasPermissions,
    TableServiceClient,
    TableTransactionError,
    UpdateMode,
    generate_account_sas,
    generate_table_sas,
)
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential

CONNECTION = os.environ["DOWNTICK_CONNECTION"]
PARTS = dict(part.split("=", 1) for part in CONNECTION.rstrip(";").split(";"))
ENDPOINT = PARTS["TableEndpoint"]
KEY = AzureNamedKeyCredential(PARTS["AccountName"], PARTS["AccountKey"])


class Tables(unittest.TestCase):
    def setUp(self):
        self.service = TableServiceClient.from_connection_string(CONNECTION)
        self.name = "py" + uuid.uuid4().hex
        self.table = self.service.create_table(self.name)

    def tearDown(self):
        self.service.delete_table(self.name)

    def put(self, row, **properties):
        return self.table.create_entity({"PartitionKey": "p", "RowKey": row, **properties})

    def test_tables_are_made_listed_and_dropped(self):
        with self.assertRaises(ResourceExistsError):
            self.service.create_table(self.name)
        self.service.create_table_if_not_exists(self.name)
        self.assertIn(self.name, [t.name for t in self.service.list_tables()])
        found = self.service.query_tables("TableName eq @name", parameters={"name": self.name})
        self.assertEqual([t.name for t in found], [self.name])
        self.service.delete_table("py" + uuid.uuid4().hex)  # the client takes a missing one for deleted

    def test_entities_come_back_with_their_types(self):
        guid = uuid.uuid4()
        when = datetime(2026, 11, 16, 12, 30, 1, 234567, tzinfo=timezone.utc)
        entity = {
            "PartitionKey": "p'q",
            "RowKey": "ä ö%ü+&",
            "text": "it's \u00e9\U0001f600",
            "small": 7,
            "large": EntityProperty(2**62, EdmType.INT64),
            "least": EntityProperty(-(2**63), EdmType.INT64),
            "real": 1.5,
            "infinite": float("-inf"),
            "no": False,
            "when": when,
            "guid": guid,
            "bytes": b"\x00\xff\x10",
            "empty": "",
        }
        self.table.create_entity(entity)
        back = self.table.get_entity("p'q", "ä ö%ü+&")
        self.assertEqual(back["large"].value, 2**62)
        self.assertEqual(back["least"].value, -(2**63))
        for name in ("text", "small", "real", "infinite", "no", "when", "guid", "bytes", "empty"):
            self.assertEqual(back[name], entity[name], name)
        self.assertTrue(back.metadata["etag"].startswith("W/"))
        selected = self.table.get_entity("p'q", "ä ö%ü+&", select=["small"])
        self.assertEqual(dict(selected), {"small": 7})

    def test_updates_replace_merge_and_upsert(self):
        self.put("r", a=1, b=2)
        with self.assertRaises(ResourceExistsError):
            self.put("r")
        key = {"PartitionKey": "p", "RowKey": "r"}
        self.table.update_entity({**key, "b": 3}, mode=UpdateMode.MERGE)
        self.assertEqual(self.table.get_entity("p", "r")["a"], 1)
        self.table.update_entity({**key, "c": 4}, mode=UpdateMode.REPLACE)
        self.assertNotIn("a", self.table.get_entity("p", "r"))
        self.table.upsert_entity({**key, "d": 5}, mode=UpdateMode.MERGE)
        self.assertEqual(self.table.get_entity("p", "r")["c"], 4)
        self.table.upsert_entity({"PartitionKey": "p", "RowKey": "new", "x": 1}, mode=UpdateMode.REPLACE)
        with self.assertRaises(ResourceNotFoundError):
            self.table.update_entity({"PartitionKey": "p", "RowKey": "none"}, mode=UpdateMode.MERGE)
        self.table.delete_entity("p", "r")
        self.table.delete_entity("p", "r")  # the client takes a missing one for deleted
        with self.assertRaises(ResourceNotFoundError):
            self.table.get_entity("p", "r")

    def test_an_etag_guards_an_update(self):
        etag = self.put("r", a=1)["etag"]
        key = {"PartitionKey": "p", "RowKey": "r"}
        newer = self.table.update_entity({**key, "a": 2}, etag=etag, match_condition=MatchConditions.IfNotModified)["etag"]
        self.assertNotEqual(newer, etag)
        with self.assertRaises((ResourceModifiedError, HttpResponseError)) as stale:
            self.table.update_entity({**key, "a": 3}, etag=etag, match_condition=MatchConditions.IfNotModified)
        self.assertEqual(stale.exception.status_code, 412)
        self.assertEqual(self.table.get_entity("p", "r")["a"], 2)

    def test_queries_filter_select_and_page(self):
        for start in range(0, 300, 100):
            self.table.submit_transaction(
                [("create", {"PartitionKey": "p", "RowKey": f"{i:04}", "n": i, "x": i / 2}) for i in range(start, start + 100)]
            )
        found = self.table.query_entities("n ge @low and n lt @high", parameters={"low": 10, "high": 13})
        self.assertEqual([e["n"] for e in found], [10, 11, 12])
        pages = list(self.table.query_entities("PartitionKey eq 'p'", results_per_page=120, select="n").by_page())
        counts = [len(list(page)) for page in pages]
        self.assertEqual(sum(counts), 300)
        first = self.table.list_entities(results_per_page=50).by_page()
        self.assertEqual(len(list(next(first))), 50)
        rest = self.table.list_entities(results_per_page=1000).by_page(continuation_token=first.continuation_token)
        self.assertEqual(sum(len(list(page)) for page in rest), 250)

    def test_a_transaction_is_all_or_nothing(self):
        self.put("there", a=1)
        operations = [
            ("create", {"PartitionKey": "p", "RowKey": "1"}),
            ("upsert", {"PartitionKey": "p", "RowKey": "2", "x": 1}, {"mode": "replace"}),
            ("update", {"PartitionKey": "p", "RowKey": "there", "b": 2}, {"mode": "merge"}),
            ("delete", {"PartitionKey": "p", "RowKey": "gone"}),
        ]
        with self.assertRaises(TableTransactionError) as failed:
            self.table.submit_transaction(operations)
        self.assertEqual(failed.exception.index, 3)
        with self.assertRaises(ResourceNotFoundError):
            self.table.get_entity("p", "1")
        done = self.table.submit_transaction(operations[:3])
        self.assertEqual(len(done), 3)
        self.assertEqual(self.table.get_entity("p", "there")["b"], 2)

    def test_shared_access_signatures_limit_what_is_allowed(self):
        self.put("r", a=1)
        soon = datetime.now(timezone.utc) + timedelta(hours=1)
        sas = generate_table_sas(KEY, self.name, permission=TableSasPermissions(read=True), expiry=soon)
        reader = TableServiceClient(ENDPOINT, credential=AzureSasCredential(sas)).get_table_client(self.name)
        self.assertEqual(reader.get_entity("p", "r")["a"], 1)
        with self.assertRaises(HttpResponseError) as refused:
            reader.create_entity({"PartitionKey": "p", "RowKey": "s"})
        self.assertEqual(refused.exception.status_code, 403)
        account = generate_account_sas(
            KEY, resource_types=ResourceTypes.from_string("sc"), permission=AccountSasPermissions(read=True, list=True), expiry=soon
        )
        lister = TableServiceClient(ENDPOINT, credential=AzureSasCredential(account))
        self.assertIn(self.name, [t.name for t in lister.list_tables()])
        with self.assertRaises(HttpResponseError):
            lister.delete_table(self.name)

    def test_access_policies_and_service_properties(self):
        start = datetime(2026, 1, 1, tzinfo=timezone.utc)
        policy = TableAccessPolicy(start=start, expiry=start + timedelta(days=365), permission="raud")
        self.table.set_table_access_policy({"id": policy})
        self.assertEqual(self.table.get_table_access_policy()["id"].permission, "raud")
        keep = TableRetentionPolicy(enabled=True, days=5)
        self.service.set_service_properties(
            analytics_logging=TableAnalyticsLogging(read=True, write=True, delete=True, retention_policy=keep),
            hour_metrics=TableMetrics(enabled=True, include_apis=True, retention_policy=keep),
            minute_metrics=TableMetrics(enabled=False),
            cors=[TableCorsRule(["http://example.test"], ["GET"], max_age_in_seconds=60)],
        )
        properties = self.service.get_service_properties()
        self.assertTrue(properties["analytics_logging"].read)
        self.assertEqual(properties["cors"][0].allowed_origins, ["http://example.test"])
        self.service.set_service_properties(cors=[])
        self.assertTrue(self.service.get_service_properties()["analytics_logging"].read)


if __name__ == "__main__":
    unittest.main()

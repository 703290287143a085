// Many pages, and what a restart of the server does to them: nothing.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

const partitionsCount = 12;
const rowsOfPartition = 450;
const rowsCount = partitionsCount * rowsOfPartition;

let server;
let table;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Pages');
  const fill = async (p) => {
    for (let first = 0; first < rowsOfPartition; first += 90) {
      const creates = Array.from({ length: 90 }, (_, i) => ['create', { partitionKey: `p${p}`, rowKey: String(first + i).padStart(6, '0'), n: first + i }]);
      await table.submitTransaction(creates);
    }
  };
  await Promise.all(Array.from({ length: partitionsCount }, (_, p) => fill(p)));
});
after(() => server.stop());

test('1000 rows are a page, and the last one has no token (T76)', async () => {
  const names = "(PartitionKey eq 'p0' or PartitionKey eq 'p1' or PartitionKey eq 'p10') and n lt 334";
  const filter = `$filter=${encodeURIComponent(names)}`;
  const first = await call(server, 'GET', `/Pages()?${filter}`);
  assert.equal(first.json.value.length, 1000);
  const token = `NextPartitionKey=${first.headers['x-ms-continuation-nextpartitionkey']}&NextRowKey=${first.headers['x-ms-continuation-nextrowkey']}`;
  const second = await call(server, 'GET', `/Pages()?${filter}&${token}`);
  assert.equal(second.json.value.length, 2);
  assert.equal(second.headers['x-ms-continuation-nextpartitionkey'], undefined);
});

test('a client pages through a restart of the server, and through a kill', async () => {
  const seen = new Set();
  let pages = 0;
  let last = '';
  for await (const page of table.listEntities().byPage({ maxPageSize: 700 })) {
    for (const e of page) {
      const key = `${e.partitionKey}\u0000${e.rowKey}`;
      assert.ok(key > last, 'in order');
      last = key;
      seen.add(key);
    }
    ++pages;
    if (pages === 2) await server.restart();
    if (pages === 5) await server.restart('SIGKILL');
  }
  assert.equal(seen.size, rowsCount);
});

test('a continuation token given to another client goes on there', async () => {
  const first = (await table.listEntities().byPage({ maxPageSize: 10 }).next()).value;
  const other = server.table('Pages');
  const second = (await other.listEntities().byPage({ maxPageSize: 10, continuationToken: first.continuationToken }).next()).value;
  assert.equal(second[0].rowKey, '000010');
});

test('what was acknowledged is there after a kill, what was refused is not', async () => {
  const names = await server.newTable('Killed');
  await names.createEntity({ partitionKey: 'p', rowKey: '1', a: 1 });
  await names.upsertEntity({ partitionKey: 'p', rowKey: '1', b: 2 }, 'Merge');
  const { etag } = await names.getEntity('p', '1');
  await names.submitTransaction([
    ['create', { partitionKey: 'p', rowKey: '2' }],
    ['create', { partitionKey: 'p', rowKey: '3' }],
  ]);
  await names.deleteEntity('p', '3');
  await assert.rejects(names.submitTransaction([
    ['create', { partitionKey: 'p', rowKey: '4' }],
    ['create', { partitionKey: 'p', rowKey: '2' }],
  ]));
  await server.newTable('Dropped');
  await server.service().deleteTable('Dropped');
  await server.restart('SIGKILL');
  const rows = [];
  for await (const e of names.listEntities()) rows.push(e.rowKey);
  assert.deepEqual(rows, ['1', '2']);
  const read = await names.getEntity('p', '1');
  assert.deepEqual([read.a, read.b, read.etag], [1, 2, etag]);
  await assert.rejects(server.table('Dropped').getEntity('p', 'r'), { statusCode: 404 });
});

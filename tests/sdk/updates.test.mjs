// Replace, merge, upserts and deletes, and the ETags that guard them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, failure } from './lib/expect.mjs';
import { Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

let server;
let table;
let nextRow = 0;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Updates');
});
after(() => server.stop());

const path = (rowKey, partitionKey = 'p') => `/Updates(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
const change = (method, rowKey, entity, headers = {}) =>
  call(server, method, path(rowKey), { body: entity === undefined ? undefined : JSON.stringify(entity), headers });

async function newRow(properties = {}) {
  const rowKey = String(++nextRow);
  await table.createEntity({ partitionKey: 'p', rowKey, ...properties });
  return rowKey;
}

async function propertiesOf(rowKey) {
  const { PartitionKey, RowKey, Timestamp, ...rest } = (await call(server, 'GET', path(rowKey))).json;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('odata.')));
}

test('upserts insert, then replace or merge (T63, T64)', async () => {
  await table.upsertEntity({ partitionKey: 'p', rowKey: 'up', a: 1, b: 2 }, 'Replace');
  await table.upsertEntity({ partitionKey: 'p', rowKey: 'up', b: 3 }, 'Replace');
  assert.deepEqual(await propertiesOf('up'), { b: 3 });
  await table.upsertEntity({ partitionKey: 'p', rowKey: 'up', c: 4 }, 'Merge');
  assert.deepEqual(await propertiesOf('up'), { b: 3, c: 4 });
  await table.upsertEntity({ partitionKey: 'p', rowKey: 'up2', c: 4 }, 'Merge');
  assert.deepEqual(await propertiesOf('up2'), { c: 4 });
  const reply = await change('PUT', 'up', { d: 1 });
  assert.equal(reply.status, 204);
  assert.ok(reply.headers.etag);
  assert.equal(reply.headers.location, undefined);
});

test('updates need the row (T65)', async () => {
  for (const mode of ['Replace', 'Merge']) {
    await assert.rejects(table.updateEntity({ partitionKey: 'p', rowKey: 'none', a: 1 }, mode), failure(404, 'ResourceNotFound'));
    const etag = 'W/"datetime\'2020-01-01T00%3A00%3A00Z\'"';
    await assert.rejects(table.updateEntity({ partitionKey: 'p', rowKey: 'none' }, mode, { etag }), failure(404, 'ResourceNotFound'));
  }
});

test('the current ETag opens, a stale one does not (T66, T70)', async () => {
  const rowKey = await newRow({ a: 1 });
  const first = (await table.getEntity('p', rowKey)).etag;
  const { etag: second } = await table.updateEntity({ partitionKey: 'p', rowKey, a: 2 }, 'Replace', { etag: first });
  assert.notEqual(second, first);
  for (const mode of ['Replace', 'Merge']) {
    await assert.rejects(table.updateEntity({ partitionKey: 'p', rowKey, a: 3 }, mode, { etag: first }), failure(412, 'UpdateConditionNotSatisfied'));
  }
  await assert.rejects(table.deleteEntity('p', rowKey, { etag: first }), failure(412, 'UpdateConditionNotSatisfied'));
  assert.deepEqual(await propertiesOf(rowKey), { a: 2 });
  await table.deleteEntity('p', rowKey, { etag: second });
  await assert.rejects(table.getEntity('p', rowKey), failure(404, 'ResourceNotFound'));
});

test('spellings of an ETag that mean the same are the same', async () => {
  const rowKey = await newRow();
  for (const respell of [(e) => e.replaceAll('%3A', '%3a'), (e) => e.replaceAll('%3A', ':')]) {
    const { etag } = await table.getEntity('p', rowKey);
    assert.equal((await change('PUT', rowKey, {}, { 'If-Match': respell(etag) })).status, 204);
  }
});

test('what is no ETag is refused (T67)', async () => {
  const rowKey = await newRow();
  for (const bad of ['abc', '"strong"', 'W/"a",W/"b"', 'W/unquoted', "datetime'2020'"]) {
    assertRefused(await change('PUT', rowKey, { a: 1 }, { 'If-Match': bad }), 400, 'InvalidInput', bad);
    assertRefused(await change('DELETE', rowKey, undefined, { 'If-Match': bad }), 400, 'InvalidInput', bad);
  }
  assertRefused(await change('PUT', rowKey, {}, { 'If-None-Match': '*' }), 400, 'InvalidInput');
});

test('MERGE, and any verb tunnelled through POST (T68, T69)', async () => {
  const rowKey = await newRow({ a: 1 });
  assert.equal((await change('MERGE', rowKey, { b: 2 }, { 'If-Match': '*' })).status, 204);
  assert.equal((await change('POST', rowKey, { c: 3 }, { 'X-HTTP-Method': 'MERGE' })).status, 204);
  assert.equal((await change('POST', rowKey, { d: 4 }, { 'X-HTTP-Method': 'PATCH', 'If-Match': '*' })).status, 204);
  assert.deepEqual(await propertiesOf(rowKey), { a: 1, b: 2, c: 3, d: 4 });
  assert.equal((await change('POST', rowKey, { e: 5 }, { 'X-HTTP-Method': 'PUT' })).status, 204);
  assert.deepEqual(await propertiesOf(rowKey), { e: 5 });
  assertRefused(await change('GET', rowKey, undefined, { 'X-HTTP-Method': 'MERGE' }), 400, 'XMethodNotUsingPost');
  assertRefused(await change('POST', rowKey, {}, { 'X-HTTP-Method': 'BREW' }), 400, 'XMethodIncorrectValue');
  assertRefused(await change('POST', rowKey, {}, { 'X-HTTP-Method': ['PUT', 'MERGE'] }), 400, 'XMethodIncorrectCount');
  assert.equal((await change('POST', rowKey, undefined, { 'X-HTTP-Method': 'DELETE', 'If-Match': '*', 'Content-Length': 0 })).status, 204);
  assert.equal((await change('POST', rowKey, {}, {})).status, 405);
});

test('a tunnelled MERGE with the full SharedKey signs POST', async () => {
  const rowKey = await newRow({ a: 1 });
  const reply = await call(server, 'POST', path(rowKey), { scheme: 'SharedKey', body: '{"b":2}', headers: { 'X-HTTP-Method': 'MERGE', 'If-Match': '*' } });
  assert.equal(reply.status, 204, reply.text);
});

test('a delete wants If-Match (T70)', async () => {
  const rowKey = await newRow();
  assertRefused(await change('DELETE', rowKey), 400, 'InvalidInput');
  const gone = await change('DELETE', rowKey, undefined, { 'If-Match': '*' });
  assert.equal(gone.status, 204);
  assert.equal(gone.headers.etag, undefined);
  assertRefused(await change('DELETE', rowKey, undefined, { 'If-Match': '*' }), 404, 'ResourceNotFound');
});

test('each version has its own Timestamp, and they grow (T71)', async () => {
  const rowKey = await newRow();
  const etags = [];
  for (let i = 0; i < 50; ++i) etags.push((await change('PATCH', rowKey, { i })).headers.etag);
  assert.equal(new Set(etags).size, etags.length);
  const moments = etags.map((etag) => decodeURIComponent(etag.slice(12, -2)).replace(/(\.\d+)?Z$/, (f) => `.${f.slice(1, -1).padEnd(7, '0')}`));
  assert.deepEqual(moments, [...moments].sort());
  const writers = Array.from({ length: 20 }, (_, i) => change('PATCH', rowKey, { i }));
  const parallel = (await Promise.all(writers)).map((reply) => reply.headers.etag);
  assert.equal(new Set(parallel).size, parallel.length);
});

test('of many writers with the same ETag one wins', async () => {
  const rowKey = await newRow({ n: 0 });
  const { etag } = await table.getEntity('p', rowKey);
  const replies = await Promise.all(Array.from({ length: 16 }, (_, i) => change('PUT', rowKey, { n: i }, { 'If-Match': etag })));
  assert.deepEqual(replies.map((r) => r.status).sort(), [204, ...Array(15).fill(412)]);
});

test('a merge over a limit fails and changes nothing (T72)', async () => {
  const wide = Object.fromEntries(Array.from({ length: 252 }, (_, i) => [`p${i}`, i]));
  const rowKey = await newRow(wide);
  assertRefused(await change('PATCH', rowKey, { extra: 1 }), 400, 'TooManyProperties');
  assert.deepEqual(await propertiesOf(rowKey), wide);
  const chunk = 'x'.repeat(32000);
  const heavy = await newRow(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`s${i}`, chunk])));
  assertRefused(await change('PATCH', heavy, { more: chunk }), 400, 'EntityTooLarge');
  assert.equal((await propertiesOf(heavy)).more, undefined);
});

test('keys in a body do not move the row (T73)', async () => {
  const rowKey = await newRow();
  const body = { PartitionKey: 'elsewhere', RowKey: 'there', a: 1 };
  assert.equal((await change('PUT', rowKey, body, { 'If-Match': '*' })).status, 204);
  assert.deepEqual(await propertiesOf(rowKey), { a: 1 });
  assertRefused(await call(server, 'GET', path('there', 'elsewhere')), 404, 'ResourceNotFound');
  const guid = { PartitionKey: 'c9da6455-213d-42c9-9a79-3e9149a57833', 'PartitionKey@odata.type': 'Edm.Guid' };
  assert.equal((await change('PATCH', rowKey, guid, { 'If-Match': '*' })).status, 204);
});

test('an empty merge is a new version', async () => {
  const rowKey = await newRow({ a: 1 });
  const { etag } = await table.getEntity('p', rowKey);
  assert.equal((await change('PATCH', rowKey, {}, { 'If-Match': '*' })).status, 204);
  assert.equal((await call(server, 'PATCH', path(rowKey), { body: '', headers: { 'If-Match': '*' } })).status, 204);
  assert.notEqual((await table.getEntity('p', rowKey)).etag, etag);
  assert.deepEqual(await propertiesOf(rowKey), { a: 1 });
});

test('an entity that was read can be written back as it is (T59)', async () => {
  const rowKey = await newRow({ a: 1n, at: new Date() });
  const read = await table.getEntity('p', rowKey);
  await table.updateEntity(read, 'Replace', { etag: read.etag });
  assert.equal((await table.getEntity('p', rowKey)).a, 1n);
});

test('an update of a missing table says so', async () => {
  const other = server.table('Missing');
  await assert.rejects(other.upsertEntity({ partitionKey: 'p', rowKey: 'r' }), failure(404, 'TableNotFound'));
  await assert.rejects(other.updateEntity({ partitionKey: 'p', rowKey: 'r' }), failure(404, 'TableNotFound'));
});

// Insert and read entities: keys, levels of metadata, and what is refused.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, failure } from './lib/expect.mjs';
import { Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

let server;
let table;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Entities');
});
after(() => server.stop());

const insert = (entity, headers = {}) =>
  call(server, 'POST', '/Entities', { body: typeof entity === 'string' ? entity : JSON.stringify(entity), headers });
const keyPath = (pk, rk) => `/Entities(PartitionKey='${pk}',RowKey='${rk}')`;

test('an insert comes back as content, as nothing if asked (T24, T25, T26)', async () => {
  const first = await insert({ PartitionKey: 'i', RowKey: "it's", a: 1 });
  assert.equal(first.status, 201);
  assert.match(first.headers.etag, /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(\.\d{1,7})?Z'"$/);
  assert.equal(first.headers.location, `${server.url()}/Entities(PartitionKey='i',RowKey='it''s')`);
  assert.equal(first.headers['preference-applied'], undefined);
  const { Timestamp, ...rest } = first.json;
  assert.deepEqual(rest, {
    'odata.metadata': `${server.url()}/$metadata#Entities/@Element`,
    'odata.etag': first.headers.etag,
    PartitionKey: 'i',
    RowKey: "it's",
    a: 1,
  });
  assert.equal(first.headers.etag, `W/"datetime'${Timestamp.replaceAll(':', '%3A')}'"`);

  const quiet = await insert({ PartitionKey: 'i', RowKey: '2' }, { Prefer: 'return-no-content' });
  assert.equal(quiet.status, 204);
  assert.equal(quiet.text, '');
  assert.ok(quiet.headers.etag);
  assert.equal(quiet.headers['preference-applied'], 'return-no-content');
  assert.equal(quiet.headers.dataserviceid, quiet.headers.location);
  const loud = await insert({ PartitionKey: 'i', RowKey: '3' }, { Prefer: 'return-content' });
  assert.equal(loud.status, 201);
  assert.equal(loud.headers['preference-applied'], 'return-content');
  assertRefused(await insert({ PartitionKey: 'i', RowKey: '2' }), 409, 'EntityAlreadyExists');
});

test('the client tells an insert into a missing table from a second insert (T26, T27)', async () => {
  await table.createEntity({ partitionKey: 'j', rowKey: '1' });
  await assert.rejects(table.createEntity({ partitionKey: 'j', rowKey: '1' }), failure(409, 'EntityAlreadyExists'));
  const missing = server.table('NoSuchTable');
  await assert.rejects(missing.createEntity({ partitionKey: 'j', rowKey: '1' }), failure(404, 'TableNotFound'));
  await assert.rejects(missing.getEntity('j', '1'), failure(404, 'TableNotFound'));
  await assert.rejects(missing.listEntities().next(), failure(404, 'TableNotFound'));
});

test('both keys are needed, as strings (T28, T29)', async () => {
  assertRefused(await insert({ PartitionKey: 'x' }), 400, 'PropertiesNeedValue');
  assertRefused(await insert({ RowKey: 'x' }), 400, 'PropertiesNeedValue');
  assertRefused(await insert({ PartitionKey: 'x', RowKey: null }), 400, 'PropertiesNeedValue');
  assertRefused(await insert({ PartitionKey: 'x', RowKey: 5 }), 400, 'InvalidInput');
  assertRefused(await insert({ PartitionKey: 'x', RowKey: 'y', 'RowKey@odata.type': 'Edm.Int32' }), 400, 'InvalidInput');
});

test('characters no key can have are refused (T30)', async () => {
  for (const bad of ['/', '\\', '#', '?', '\t', '\n', '\u0000', '\u001f', '\u007f', '\u0081']) {
    assertRefused(await insert({ PartitionKey: `a${bad}b`, RowKey: 'r' }), 400, 'OutOfRangeInput', JSON.stringify(bad));
    assertRefused(await insert({ PartitionKey: 'p', RowKey: bad }), 400, 'OutOfRangeInput', JSON.stringify(bad));
  }
  for (const bad of ['%2F', '%5C', '%23', '%3F', '%00', '%09', '%C2%81', '%FF', '%C0%AF', '%ED%A0%80']) {
    const reply = await call(server, 'GET', keyPath(`a${bad}b`, 'r'));
    assert.equal(reply.status, 400, bad);
    assert.ok(['InvalidInput', 'OutOfRangeInput', 'InvalidUri'].includes(reply.code), `${bad} ${reply.code}`);
  }
});

test('keys have 512 units at most (T31)', async () => {
  await table.createEntity({ partitionKey: 'a'.repeat(512), rowKey: '😀'.repeat(256) });
  assert.ok(await table.getEntity('a'.repeat(512), '😀'.repeat(256)));
  for (const length of [513, 2048]) {
    assertRefused(await insert({ PartitionKey: 'p', RowKey: 'a'.repeat(length) }), 400, 'PropertyValueTooLarge');
  }
});

test('keys of all sorts make the round trip through the client (T4, T5, T6)', async () => {
  const keys = ['', ' ', ' lead', "a'b", "''", 'a%b', '%27', '%2F', 'a+b&c=d', '(x,y)', "',RowKey='", '~!*.-_', 'a:b;c@d$e', '{[^`]}', '<"|>', 'é😀', '日本', '\u{ff5e}'];
  for (const key of keys) {
    for (const [partitionKey, rowKey] of [[key, 'r'], ['p', key], [key, key]]) {
      await table.upsertEntity({ partitionKey, rowKey, a: 1 }, 'Replace');
      const read = await table.getEntity(partitionKey, rowKey);
      assert.equal(read.partitionKey, partitionKey);
      assert.equal(read.rowKey, rowKey);
      await table.updateEntity({ partitionKey, rowKey, b: 2 }, 'Merge');
      assert.equal((await table.getEntity(partitionKey, rowKey)).a, 1);
      await table.deleteEntity(partitionKey, rowKey);
      await assert.rejects(table.getEntity(partitionKey, rowKey), failure(404, 'ResourceNotFound'));
    }
  }
});

test('all spellings of a key URL name the same row (T4, T7, T8)', async () => {
  await table.createEntity({ partitionKey: "a'b", rowKey: 'x', n: 7 });
  for (const path of [
    "/Entities(PartitionKey='a''b',RowKey='x')",
    "/Entities(PartitionKey='a%27%27b',RowKey='x')",
    "/Entities(PartitionKey=%27a''b%27,RowKey=%27x%27)",
    "/Entities(RowKey='x',PartitionKey='a''b')",
    "/Entities(PartitionKey='a''b',%20RowKey='x')",
    "/entities(PartitionKey='a''b',RowKey='%78')",
  ]) {
    const reply = await call(server, 'GET', path);
    assert.equal(reply.status, 200, `${path} ${reply.text}`);
    assert.equal(reply.json.n, 7);
  }
  for (const path of [
    "/Entities(PartitionKey='p')",
    "/Entities(PartitionKey='p',RowKey='r',X='y')",
    "/Entities(partitionkey='p',rowkey='r')",
    "/Entities(PartitionKey='p',PartitionKey='r')",
    "/Entities(PartitionKey='p',RowKey='r'",
    "/Entities(PartitionKey='p,RowKey='r')",
    "/Entities('p','r')",
    '/Entities(',
  ]) {
    const reply = await call(server, 'GET', path);
    assert.equal(reply.status, 400, `${path} ${reply.text}`);
    assert.ok(reply.code, path);
  }
});

test('a get tells the ETag twice, and what is missing (T32, T33, T74)', async () => {
  await table.createEntity({ partitionKey: 'g', rowKey: '1' });
  const reply = await call(server, 'GET', keyPath('g', '1'));
  assert.equal(reply.headers.etag, reply.json['odata.etag']);
  assert.equal(reply.headers.etag, `W/"datetime'${reply.json.Timestamp.replaceAll(':', '%3A')}'"`);
  assertRefused(await call(server, 'GET', keyPath('g', '2')), 404, 'ResourceNotFound');
});

test('the three levels of an entity (T11, T34, T35, T36, T37, T39)', async () => {
  await insert({ PartitionKey: "l'l", RowKey: '1', big: '9', 'big@odata.type': 'Edm.Int64', s: 'x' });
  const path = keyPath("l''l", '1');
  const at = (level) => call(server, 'GET', path, { headers: { Accept: `application/json; odata=${level}` } });
  const least = await at('nometadata');
  assert.ok(Object.keys(least.json).every((name) => !name.includes('odata')));
  assert.equal(least.json.big, '9');
  assert.ok(least.json.Timestamp);
  const usual = await at('minimalmetadata');
  assert.equal(usual.json['Timestamp@odata.type'], undefined);
  assert.equal(usual.json['big@odata.type'], 'Edm.Int64');
  assert.equal(usual.json['odata.id'], undefined);
  const most = await at('fullmetadata');
  assert.equal(most.headers['content-type'], 'application/json;odata=fullmetadata;streaming=true;charset=utf-8');
  assert.equal(most.json['Timestamp@odata.type'], 'Edm.DateTime');
  assert.equal(most.json['odata.type'], 'devstoreaccount1.Entities');
  assert.equal(most.json['odata.id'], `${server.url()}/Entities(PartitionKey='l''l',RowKey='1')`);
  assert.equal(most.json['odata.editLink'], "Entities(PartitionKey='l''l',RowKey='1')");
  assert.deepEqual(Object.keys(most.json).slice(0, 8), [
    'odata.metadata', 'odata.type', 'odata.id', 'odata.etag', 'odata.editLink', 'PartitionKey', 'RowKey', 'Timestamp@odata.type',
  ]);
  const byFormat = await call(server, 'GET', `${path}?$format=application%2Fjson%3Bodata%3Dfullmetadata`, { headers: { Accept: 'application/atom+xml' } });
  assert.ok(byFormat.json['odata.id']);
});

test('Atom is refused, anything vague is minimal (T40)', async () => {
  await table.upsertEntity({ partitionKey: 'f', rowKey: '1' });
  for (const accept of ['application/atom+xml', 'application/xml', 'application/atom+xml,application/xml']) {
    assertRefused(await call(server, 'GET', keyPath('f', '1'), { headers: { Accept: accept } }), 415, 'AtomFormatNotSupported', accept);
  }
  for (const accept of ['*/*', 'application/*', 'application/json', undefined, 'application/atom+xml,application/json;q=0.5']) {
    const reply = await call(server, 'GET', keyPath('f', '1'), { headers: { Accept: accept } });
    assert.equal(reply.status, 200, accept);
    assert.ok(reply.json['odata.etag'], accept);
  }
  assertRefused(await insert('<entry/>', { 'Content-Type': 'application/atom+xml' }), 415, 'AtomFormatNotSupported');
  assertRefused(await insert('x', { 'Content-Type': 'text/plain' }), 415, 'UnsupportedMediaType');
});

test('ids and versions are echoed, request ids never repeat (T38, T12)', async () => {
  const seen = new Set();
  for (const version of ['2009-04-14', '2019-02-02', '2020-12-06', '2099-01-01']) {
    const reply = await call(server, 'GET', '/Entities()?$top=1&_=5&api-version=x', {
      headers: { 'x-ms-version': version, 'x-ms-client-request-id': `id-${version}` },
    });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers['x-ms-version'], version);
    assert.equal(reply.headers['x-ms-client-request-id'], `id-${version}`);
    assert.match(reply.headers['x-ms-request-id'], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(reply.headers['cache-control'], 'no-cache');
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.ok(reply.headers.server && reply.headers.date);
    seen.add(reply.headers['x-ms-request-id']);
  }
  assert.equal(seen.size, 4);
  assertRefused(await call(server, 'GET', '/Entities()', { headers: { 'x-ms-version': 'soon' } }), 400, 'InvalidHeaderValue');
});

test('an error body has code, language, request and time (T131)', async () => {
  const reply = await call(server, 'GET', keyPath('no', 'no'));
  assert.deepEqual(Object.keys(reply.json), ['odata.error']);
  assert.deepEqual(Object.keys(reply.json['odata.error']), ['code', 'message']);
  assert.equal(reply.json['odata.error'].message.lang, 'en-US');
  assert.match(reply.message, /^The specified resource does not exist\.\nRequestId:[0-9a-f-]{36}\nTime:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
  assert.ok(reply.message.includes(reply.headers['x-ms-request-id']));
});

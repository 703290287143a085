// Create, list, find and delete tables.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const create = (name, headers = {}) => call(server, 'POST', '/Tables', { body: JSON.stringify({ TableName: name }), headers });

async function namesOf(iterator) {
  const names = [];
  for await (const table of iterator) names.push(table.name);
  return names;
}

test('the client creates, lists and deletes tables (T19)', async () => {
  const service = server.service();
  await service.createTable('Alpha');
  assert.ok((await namesOf(service.listTables())).includes('Alpha'));
  await service.deleteTable('Alpha');
  assert.ok(!(await namesOf(service.listTables())).includes('Alpha'));
  await service.deleteTable('Alpha'); // the client swallows the 404
  const again = await call(server, 'DELETE', "/Tables('Alpha')");
  assert.equal(again.status, 404);
  assert.equal(again.code, 'ResourceNotFound');
});

test('a created table comes back as content (T13, T24, T37)', async () => {
  const reply = await create('Created');
  assert.equal(reply.status, 201);
  assert.equal(reply.headers.location, `${server.url()}/Tables('Created')`);
  assert.equal(reply.headers['preference-applied'], undefined);
  assert.equal(reply.headers['content-type'], 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8');
  assert.deepEqual(reply.json, { 'odata.metadata': `${server.url()}/$metadata#Tables/@Element`, TableName: 'Created' });
});

test('or not, if asked (T14)', async () => {
  const reply = await create('Quiet', { Prefer: 'return-no-content' });
  assert.equal(reply.status, 204);
  assert.equal(reply.text, '');
  assert.equal(reply.headers['preference-applied'], 'return-no-content');
  assert.equal(reply.headers.location, `${server.url()}/Tables('Quiet')`);
  assert.equal(reply.headers.dataserviceid, `${server.url()}/Tables('Quiet')`);
  const again = await create('Quiet', { Prefer: 'return-no-content' });
  assert.equal(again.status, 409);
  assert.equal(again.headers['preference-applied'], 'return-no-content');
});

test('names are one whatever their case; the first spelling stays (T9, T15)', async () => {
  const table = await server.newTable('MixedCase');
  const reply = await create('MIXEDCASE');
  assert.equal(reply.status, 409);
  assert.equal(reply.code, 'TableAlreadyExists');
  await table.createTable(); // which the client takes for success
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', a: 1 });
  assert.equal((await server.table('mixedcase').getEntity('p', 'r')).a, 1);
  assert.ok((await namesOf(server.service().listTables())).includes('MixedCase'));
});

test('impossible names are refused, each with its code (T16, T17, T18)', async () => {
  const expected = {
    ab: 'OutOfRangeInput',
    ['a'.repeat(64)]: 'OutOfRangeInput',
    '1ab': 'InvalidResourceName',
    a_b: 'InvalidResourceName',
    'a b': 'InvalidResourceName',
    '../etc': 'InvalidResourceName',
    'ab\u0000c': 'InvalidResourceName',
    tables: 'InvalidInput',
    Tables: 'InvalidInput',
  };
  for (const [name, code] of Object.entries(expected)) {
    const reply = await create(name);
    assert.equal(reply.status, 400, name);
    assert.equal(reply.code, code, name);
  }
  assert.equal((await create('a'.repeat(63))).status, 201);
  assert.match((await create('a_b')).message, /^The specifed resource name contains invalid characters\.\n/);
});

test('bodies that name no table are refused', async () => {
  for (const body of ['', '{', '[]', '{}', '{"TableName":5}', '{"TableName":null}', '"x"']) {
    const reply = await call(server, 'POST', '/Tables', { body });
    assert.equal(reply.status, 400, body);
    assert.ok(reply.code, body);
  }
});

test('a recreated table is empty, at once (T20)', async () => {
  const table = await server.newTable('Again');
  for (let round = 0; round < 5; ++round) {
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', round });
    await table.deleteTable();
    await table.createTable();
    assert.equal((await table.listEntities().byPage().next()).value.length, 0);
  }
});

test('a listing is in order of names and pages (T21)', async () => {
  const names = ['pageC', 'PageA', 'pageB', 'PAGED', 'pagee'];
  for (const name of names) await server.newTable(name);
  const ordered = ['PageA', 'pageB', 'pageC', 'PAGED', 'pagee'];
  const filter = "TableName ge 'PAGE' and TableName lt 'q'";
  const pages = [];
  for await (const page of server.service().listTables().byPage({ maxPageSize: 2 })) {
    assert.ok(page.length <= 2);
    pages.push(...page.map((t) => t.name));
  }
  assert.deepEqual(pages.filter((name) => /^page/i.test(name)), ordered);
  const reply = await call(server, 'GET', `/Tables?$top=1&$filter=${encodeURIComponent(filter)}`);
  assert.match(reply.headers['x-ms-continuation-nexttablename'], /^1!\d+![A-Za-z0-9*_-]*$/);
});

test('a listing can be filtered by name (T22)', async () => {
  for (const name of ['fila', 'filb', 'filc']) await server.newTable(name);
  const found = await namesOf(server.service().listTables({ queryOptions: { filter: "TableName ge 'filb' and TableName lt 'filc'" } }));
  assert.deepEqual(found, ['filb']);
});

test('a table can be looked up (T23)', async () => {
  await server.newTable('Known');
  const reply = await call(server, 'GET', "/Tables('Known')");
  assert.equal(reply.status, 200);
  assert.equal(reply.json.TableName, 'Known');
  const missing = await call(server, 'GET', "/Tables('Unknown')");
  assert.equal(missing.status, 404);
  assert.equal(missing.code, 'ResourceNotFound');
});

test('the three levels of a listing', async () => {
  await server.newTable('Levels');
  const at = async (level) =>
    (await call(server, 'GET', "/Tables?$filter=TableName%20eq%20'Levels'", { headers: { Accept: `application/json;odata=${level}` } })).json;
  assert.deepEqual(await at('nometadata'), { value: [{ TableName: 'Levels' }] });
  assert.deepEqual((await at('fullmetadata')).value, [
    {
      'odata.type': 'devstoreaccount1.Tables',
      'odata.id': `${server.url()}/Tables('Levels')`,
      'odata.editLink': "Tables('Levels')",
      TableName: 'Levels',
    },
  ]);
});

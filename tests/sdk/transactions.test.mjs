// Entity group transactions, through the client and in the bytes that three clients send.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from './lib/expect.mjs';
import { development, Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

let server;
let table;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Batches');
});
after(() => server.stop());

async function rowsOf(partitionKey) {
  const rows = [];
  for await (const e of table.listEntities({ queryOptions: { filter: `PartitionKey eq '${partitionKey}'` } })) rows.push(e.rowKey);
  return rows;
}

// An error of the client, which knows the part that failed.
const failedWith = (status, code, message) => (error) => {
  assert.equal(error.statusCode, status, error.message);
  assert.equal(error.code, code);
  if (message) assert.match(error.message, message);
  return true;
};

const url = () => server.url();
const part = (request, lines = '', mime = '') =>
  `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${mime}\r\n${request} HTTP/1.1\r\n${lines}\r\n`;
const insertPart = (entity, lines = '') =>
  `${part(`POST ${url()}/Batches`, `Content-Type: application/json\r\nAccept: application/json;odata=minimalmetadata\r\n${lines}`)}${JSON.stringify(entity)}\r\n`;

function changeset(parts, end = '\r\n') {
  const inner = parts.map((p) => `--changeset_c1\r\n${p}`).join('');
  return `--batch_b1\r\nContent-Type: multipart/mixed; boundary=changeset_c1\r\n\r\n${inner}--changeset_c1--${end}--batch_b1--${end}`;
}

const post = (body, headers = {}) => call(server, 'POST', '/$batch', { body, headers: { 'Content-Type': 'multipart/mixed; boundary=batch_b1', Accept: 'application/json', ...headers } });

test('all kinds of operations commit together, answered in order (T102)', async () => {
  for (const rowKey of ['old', 'gone', 'merged']) await table.createEntity({ partitionKey: 'all', rowKey, a: 1 });
  const { etag } = await table.getEntity('all', 'old');
  const result = await table.submitTransaction([
    ['create', { partitionKey: 'all', rowKey: 'new', a: 1 }],
    ['upsert', { partitionKey: 'all', rowKey: 'upserted', a: 1 }, 'Replace'],
    ['update', { partitionKey: 'all', rowKey: 'merged', b: 2 }, 'Merge'],
    ['update', { partitionKey: 'all', rowKey: 'old', b: 2 }, 'Replace', { etag }],
    ['delete', { partitionKey: 'all', rowKey: 'gone' }],
  ]);
  assert.equal(result.status, 202);
  assert.deepEqual(result.subResponses.map((r) => r.status), [204, 204, 204, 204, 204]);
  assert.ok(result.subResponses.slice(0, 4).every((r) => r.etag));
  assert.equal(result.getResponseForEntity('new').status, 204);
  assert.deepEqual(await rowsOf('all'), ['merged', 'new', 'old', 'upserted']);
  const merged = await table.getEntity('all', 'merged');
  assert.deepEqual([merged.a, merged.b], [1, 2]);
  assert.equal((await table.getEntity('all', 'old')).a, undefined);
});

test('a failing operation undoes the others, and says which it was (T105, T110)', async () => {
  await table.createEntity({ partitionKey: 'undo', rowKey: 'there' });
  await assert.rejects(
    table.submitTransaction([
      ['create', { partitionKey: 'undo', rowKey: '1' }],
      ['create', { partitionKey: 'undo', rowKey: '2' }],
      ['create', { partitionKey: 'undo', rowKey: 'there' }],
      ['create', { partitionKey: 'undo', rowKey: '4' }],
    ]),
    failedWith(409, 'EntityAlreadyExists', /^2:The specified entity already exists\./),
  );
  const stale = 'W/"datetime\'2020-01-01T00%3A00%3A00Z\'"';
  await assert.rejects(
    table.submitTransaction([
      ['create', { partitionKey: 'undo', rowKey: '1' }],
      ['update', { partitionKey: 'undo', rowKey: 'there' }, 'Replace', { etag: stale }],
    ]),
    failedWith(412, 'UpdateConditionNotSatisfied', /^1:/),
  );
  await assert.rejects(
    table.submitTransaction([
      ['create', { partitionKey: 'undo', rowKey: '1' }],
      ['delete', { partitionKey: 'undo', rowKey: 'nowhere' }],
    ]),
    failedWith(404, 'ResourceNotFound', /^1:/),
  );
  assert.deepEqual(await rowsOf('undo'), ['there']);
});

test('single operations fail without a number, missing tables with one (T106)', async () => {
  await table.createEntity({ partitionKey: 'single', rowKey: '1' });
  await assert.rejects(table.submitTransaction([['create', { partitionKey: 'single', rowKey: '1' }]]), failedWith(409, 'EntityAlreadyExists', /^The specified/));
  await assert.rejects(table.submitTransaction([['delete', { partitionKey: 'single', rowKey: '2' }]]), failedWith(404, 'ResourceNotFound', /^The specified/));
  await assert.rejects(server.table('NoTable').submitTransaction([['create', { partitionKey: 'p', rowKey: '1' }]]), failedWith(404, 'TableNotFound', /^0:The table/));
});

test('one partition, each row once (T107, T108)', async () => {
  const mixed = await post(changeset([insertPart({ PartitionKey: 'm1', RowKey: '1' }), insertPart({ PartitionKey: 'm2', RowKey: '1' })]));
  assert.equal(mixed.status, 202);
  assert.match(mixed.text, /HTTP\/1\.1 400 Bad Request[^]*CommandsInBatchActOnDifferentPartitions[^]*"1:All commands in a batch must operate on same entity group\./);
  const twice = await post(changeset([insertPart({ PartitionKey: 'm1', RowKey: '1' }), insertPart({ PartitionKey: 'm1', RowKey: '1' })]));
  assert.match(twice.text, /InvalidDuplicateRow[^]*"1:The batch request contains multiple changes with same row key\./);
  assert.deepEqual(await rowsOf('m1'), []);
});

test('100 operations pass, 101 do not (T109)', async () => {
  const creates = Array.from({ length: 101 }, (_, i) => ['create', { partitionKey: 'hundred', rowKey: String(i) }]);
  await assert.rejects(table.submitTransaction(creates), failedWith(400, 'InvalidInput', /^\d+:The batch request operation exceeds the maximum 100 changes per change set\./));
  assert.deepEqual(await rowsOf('hundred'), []);
  await table.submitTransaction(creates.slice(0, 100));
  assert.equal((await rowsOf('hundred')).length, 100);
});

test('4 MiB pass, more do not (T114)', async () => {
  const text = 'x'.repeat(30000);
  const big = (rowKey) => ['create', { partitionKey: 'big', rowKey, a: text, b: text, c: text, d: text }];
  await table.submitTransaction(Array.from({ length: 30 }, (_, i) => big(String(i))));
  const reply = await post(changeset([insertPart({ PartitionKey: 'big', RowKey: 'x', a: 'y'.repeat(4 << 20) })]));
  assertRefused(reply, 413, 'RequestBodyTooLarge');
});

test('the bytes of a reply (T103, T104)', async () => {
  const body = changeset([
    insertPart({ PartitionKey: 'bytes', RowKey: '1' }, 'Prefer: return-no-content\r\n'),
    insertPart({ PartitionKey: 'bytes', RowKey: '2', a: 1 }),
    `${part(`PUT ${url()}/Batches(PartitionKey='bytes',RowKey='3')`, 'Content-Type: application/json\r\n')}{"b":2}\r\n`,
  ]);
  const reply = await post(body, { 'x-ms-client-request-id': 'mine' });
  assert.equal(reply.status, 202);
  assert.equal(reply.headers['x-ms-client-request-id'], 'mine');
  const [, batch] = reply.headers['content-type'].match(/^multipart\/mixed; boundary=(batchresponse_[0-9a-f-]{36})$/);
  const [, set] = reply.text.match(/boundary=(changesetresponse_[0-9a-f-]{36})\r\n/);
  const etag = `W/"datetime'[^']+'"`;
  const row = (key) => `${url()}/Batches\\(PartitionKey='bytes',RowKey='${key}'\\)`;
  const head = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 ';
  const common = 'X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n';
  const pattern =
    `^--${batch}\r\nContent-Type: multipart/mixed; boundary=${set}\r\n\r\n` +
    `--${set}\r\n${head}204 No Content\r\n${common}Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: ${row(1)}\r\nDataServiceId: ${row(1)}\r\nETag: ${etag}\r\n\r\n\r\n` +
    `--${set}\r\n${head}201 Created\r\n([A-Za-z-]+: [^\r]*\r\n)+\r\n\\{"odata.metadata":[^\r\n]*"a":1\\}\r\n` +
    `--${set}\r\n${head}204 No Content\r\n${common}DataServiceVersion: 1.0;\r\nETag: ${etag}\r\n\r\n\r\n` +
    `--${set}--\r\n--${batch}--\r\n$`;
  assert.match(reply.text, new RegExp(pattern));
});

test('Python and .NET write their parts in their own ways (T101)', async () => {
  const json = JSON.stringify({ PartitionKey: 'shapes', RowKey: 'py', a: 1 });
  const python = part(
    `POST ${url()}/Batches`,
    `Accept: application/json;odata=minimalmetadata\r\nContent-Type: application/json;odata=nometadata\r\nContent-Length: ${json.length}\r\nDataServiceVersion: 3.0\r\nx-ms-date: now\r\nDate: now\r\n`,
    'Content-ID: 0\r\n',
  );
  const dotnet = part(
    `PATCH ${url()}/Batches(PartitionKey='shapes',RowKey='net')?$format=application%2Fjson%3Bodata%3Dminimalmetadata`,
    `Host: ${server.host}\r\nx-ms-version: 2019-02-02\r\nDataServiceVersion: 3.0\r\nAccept: application/json\r\nContent-Type: application/json\r\n`,
  );
  const relative = part(`PUT /${development.name}/Batches(PartitionKey='shapes',RowKey='rel')`, 'content-type: application/json\r\n');
  const tunnelled = part(`POST ${url()}/Batches(PartitionKey='shapes',RowKey='tun')`, 'X-HTTP-Method: MERGE\r\nContent-Type: application/json\r\n');
  const javascript = `content-type: application/http\r\ncontent-transfer-encoding: binary\r\n\r\nPUT ${url()}/Batches(PartitionKey='shapes',RowKey='js') HTTP/1.1\r\ncontent-type: application/json\r\n\r\n\r\n`;
  const parts = [`${python}${json}\r\n`, `${dotnet}{"a":2}\r\n`, `${relative}{"a":3}\r\n`, `${tunnelled}{"a":4}\r\n`, `${javascript}{"a":5}\r\n`];
  for (const body of [changeset(parts.slice(0, 1)), changeset(parts.slice(1)).replaceAll('\r\n', '\n'), changeset(parts.slice(1), '\r\n\r\n')]) {
    const reply = await post(body, { 'Content-Type': 'multipart/mixed; boundary="batch_b1"' });
    assert.equal(reply.status, 202);
    assert.doesNotMatch(reply.text, /odata\.error/);
  }
  assert.deepEqual(await rowsOf('shapes'), ['js', 'net', 'py', 'rel', 'tun']);
  // The closing boundary of a batch may be missing.
  const open = changeset([`${relative}{"a":6}\r\n`]).replace('--batch_b1--\r\n', '');
  assert.equal((await post(open)).status, 202);
  assert.equal((await table.getEntity('shapes', 'rel')).a, 6);
});

test('text that looks like a boundary stays text (T112)', async () => {
  const text = '\r\n--changeset_c1--\r\n--batch_b1--\r\n --changeset_c1';
  await table.submitTransaction([['create', { partitionKey: 'text', rowKey: '1', text }]]);
  assert.equal((await table.getEntity('text', '1')).text, text);
  const reply = await post(changeset([insertPart({ PartitionKey: 'text', RowKey: '2', text: '--changeset_c1' })]));
  assert.doesNotMatch(reply.text, /odata\.error/);
  assert.equal((await table.getEntity('text', '2')).text, '--changeset_c1');
});

test('one GET may be a batch of its own (T111)', async () => {
  await table.createEntity({ partitionKey: 'get', rowKey: '1', a: 7 });
  const get = (target) => `--batch_b1\r\n${part(`GET ${url()}/${target}`, 'Accept: application/json;odata=minimalmetadata\r\n')}\r\n--batch_b1--\r\n`;
  const found = await post(get("Batches(PartitionKey='get',RowKey='1')"));
  assert.equal(found.status, 202);
  assert.match(found.text, /HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n\{"odata\.metadata":"[^"]*#Batches\/@Element"[^]*"a":7\}\r\n--batchresponse_/);
  assert.match((await post(get("Batches()?$filter=PartitionKey%20eq%20'get'"))).text, /"value":\[\{[^]*"a":7/);
  const missing = await post(get("Batches(PartitionKey='get',RowKey='2')"));
  assert.equal(missing.status, 202);
  assert.match(missing.text, /HTTP\/1\.1 404 Not Found[^]*ResourceNotFound/);
  const beside = changeset([insertPart({ PartitionKey: 'get', RowKey: '9' }), part(`GET ${url()}/Batches(PartitionKey='get',RowKey='1')`)]);
  const refused = await post(beside);
  assert.ok(refused.status === 400 || /HTTP\/1\.1 400/.test(refused.text), refused.text);
  await assert.rejects(table.getEntity('get', '9'), { statusCode: 404 });
});

test('a query inside a batch is answered at its own level of metadata', async () => {
  await table.createEntity({ partitionKey: 'level', rowKey: '1', a: 7 });
  const get = (target, level) => `--batch_b1\r\n${part(`GET ${url()}/${target}`, `Accept: application/json;odata=${level}\r\n`)}\r\n--batch_b1--\r\n`;
  for (const target of ["Batches(PartitionKey='level',RowKey='1')", "Batches()?$filter=PartitionKey%20eq%20'level'"]) {
    const bare = (await post(get(target, 'nometadata'))).text;
    assert.match(bare, /"a":7/);
    assert.doesNotMatch(bare, /odata\.metadata"/, target);
    assert.match((await post(get(target, 'fullmetadata'))).text, /"odata\.editLink"/, target);
  }
});

test('broken batches are refused as a whole', async () => {
  const good = changeset([insertPart({ PartitionKey: 'broken', RowKey: '1' })]);
  const bad = [
    ['', {}],
    ['nonsense', {}],
    [good, { 'Content-Type': 'application/json' }],
    [good, { 'Content-Type': 'multipart/mixed' }],
    [good, { 'Content-Type': 'multipart/mixed; boundary=other' }],
    [changeset([]), {}],
    [good.replace('boundary=changeset_c1', 'boundary='), {}],
    ['--batch_b1\r\n'.repeat(50000), {}],
    [good.slice(0, good.indexOf('POST')), {}],
  ];
  for (const [body, headers] of bad) {
    const reply = await post(body, headers);
    assert.equal(reply.status, 400, `${body.slice(0, 60)} ${reply.text.slice(0, 200)}`);
    assert.equal(reply.code, 'InvalidInput', body.slice(0, 60));
  }
  for (const request of ['POST', 'POST http://', `POST ${url()}`, `POST ${url()}/Tables`, `POST ${url()}/$batch`, `BREW ${url()}/Batches`, `POST http://${server.host}/other/Batches`, `POST ${url()}/Bat%00ches`]) {
    const reply = await post(changeset([`${part(request, 'Content-Type: application/json\r\n')}{"PartitionKey":"broken","RowKey":"1"}\r\n`]));
    assert.ok(reply.status >= 400 || /HTTP\/1\.1 4\d\d /.test(reply.text), `${request}: ${reply.text}`);
  }
  const badJson = await post(changeset([insertPart({ PartitionKey: 'broken', RowKey: '1' }).replace('}', '')]));
  assert.match(badJson.text, /HTTP\/1\.1 400[^]*"InvalidInput"[^]*"0:/);
  assert.deepEqual(await rowsOf('broken'), []);
});

test('two tables in one batch are refused', async () => {
  await server.newTable('Second');
  const reply = await post(changeset([insertPart({ PartitionKey: 'two', RowKey: '1' }), insertPart({ PartitionKey: 'two', RowKey: '2' }).replace('/Batches', '/Second')]));
  assert.match(reply.text, /HTTP\/1\.1 400[^]*"InvalidInput"[^]*"1:/);
  assert.deepEqual(await rowsOf('two'), []);
});

test('a reader never sees half a transaction (T113)', async () => {
  const write = (round) => table.submitTransaction(Array.from({ length: 40 }, (_, i) => ['upsert', { partitionKey: 'half', rowKey: String(i).padStart(2, '0'), round }, 'Replace']));
  await write(0);
  let isWriting = true;
  const writer = (async () => {
    for (let round = 1; round <= 30; ++round) await write(round);
    isWriting = false;
  })();
  while (isWriting) {
    const page = (await call(server, 'GET', "/Batches()?$filter=PartitionKey%20eq%20'half'")).json.value;
    assert.equal(page.length, 40);
    assert.equal(new Set(page.map((e) => e.round)).size, 1);
  }
  await writer;
});

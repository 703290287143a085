// Sets of entities: filters, projections, pages.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { odata } from '@azure/data-tables';
import { assertRefused, failure } from './lib/expect.mjs';
import { Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

let server;
let table;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Queries');
  await table.submitTransaction(
    [
      { rowKey: 'a', s: 'apple', i: 5, l: { type: 'Int64', value: '5' }, d: { type: 'Double', value: '5' }, b: true },
      { rowKey: 'b', s: "O'Neil", i: -7, l: { type: 'Int64', value: '5000000000' }, d: 2.5, b: false },
      { rowKey: 'c', s: 'Banana', t: { type: 'DateTime', value: '2026-11-16T01:02:03.1234567Z' }, g: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' } },
      { rowKey: 'd', s: 'banana', x: new Uint8Array([0x0a, 0xff]), t: { type: 'DateTime', value: '2020-01-01T00:00:00Z' } },
      { rowKey: 'e', s: '', only: 1 },
    ].map((entity) => ['create', { partitionKey: 'p', ...entity }]),
  );
});
after(() => server.stop());

async function rowsOf(filter, client = table) {
  const rows = [];
  for await (const entity of client.listEntities({ queryOptions: { filter } })) rows.push(entity.rowKey);
  return rows.join('');
}

const raw = (query, options) => call(server, 'GET', `/Queries()${query ? `?${query}` : ''}`, options);
const filtered = (filter) => raw(`$filter=${encodeURIComponent(filter)}`);

const expected = {
  // grouping
  "RowKey eq 'a' or RowKey eq 'b' and RowKey eq 'c'": 'a',
  "(RowKey eq 'a' or RowKey eq 'b') and RowKey eq 'b'": 'b',
  "not (RowKey lt 'd')": 'de',
  "not RowKey lt 'd'": 'de',
  "not (RowKey lt 'b') and not (RowKey gt 'd')": 'bcd',
  "((((RowKey eq 'a'))))": 'a',
  // what an entity does not have
  'only ne 2': 'e',
  'only eq 2': '',
  'only lt 2': 'e',
  'missing ne 1': '',
  'not (missing eq 1)': 'abcde',
  "partitionkey eq 'p'": '',
  // numbers
  'i eq 5': 'a',
  'i lt 0': 'b',
  'i eq 5L': '',
  'l eq 5': 'a',
  'l eq 5L': 'a',
  'l eq 5000000000L': 'b',
  'l eq 5000000000': 'b',
  'd eq 5': 'a',
  'd eq 5L': 'a',
  'd eq 5.0': 'a',
  'd lt 5e0': 'b',
  'd ge 2.5 and d le 5': 'ab',
  'i ge -7': 'ab',
  // other types
  'b eq true': 'a',
  'b eq False': 'b',
  'b ne true': 'b',
  "t eq datetime'2026-11-16T01:02:03.1234567Z'": 'c',
  "t gt datetime'2026-11-16T01:02:03.1234566Z'": 'c',
  "t lt datetime'2026-11-16T01:02:03Z'": 'd',
  "g eq guid'C9DA6455-213D-42C9-9A79-3E9149A57833'": 'c',
  "x eq X'0aff'": 'd',
  "x eq binary'0AFF'": 'd',
  "x gt X'0a'": 'd',
  // strings
  "s eq 'O''Neil'": 'b',
  "s eq 'banana'": 'd',
  "s ge 'B' and s lt 'C'": 'c',
  "s eq ''": 'e',
  "s gt 'a'": 'ad',
  // types that differ: the property is the lesser
  's gt 5': '',
  's lt 5': 'abcde',
  's ne 5': 'abcde',
  's eq 5': '',
  "i gt ''": '',
  // the literal first
  "'b' eq RowKey": 'b',
  "'b' ne RowKey": 'acde',
  "'b' lt RowKey": 'cde',
  "'b' le RowKey": 'bcde',
  "'b' gt RowKey": 'a',
  "'b' ge RowKey": 'ab',
  // a property by itself
  b: 'a',
  'not b': 'bcde',
  s: '',
  '(b) eq true': 'a',
  // constants
  '': 'abcde',
  ' ': 'abcde',
  true: 'abcde',
  false: '',
  // system properties
  "PartitionKey eq 'p' and RowKey eq 'c'": 'c',
  "PartitionKey eq 'p' and RowKey eq 'z'": '',
  "PartitionKey eq 'p' and RowKey ge 'b' and RowKey lt 'd'": 'bc',
  "(PartitionKey eq 'p' and RowKey eq 'a') or (PartitionKey eq 'p' and RowKey eq 'e')": 'ae',
  "PartitionKey ge 'o' and PartitionKey lt 'q'": 'abcde',
  "PartitionKey gt 'p'": '',
  "Timestamp gt datetime'2020-01-01T00:00:00Z'": 'abcde',
  "Timestamp lt datetime'2020-01-01T00:00:00Z'": '',
};

async function checkFilters() {
  for (const [filter, rows] of Object.entries(expected)) {
    const reply = await filtered(filter);
    assert.equal(reply.status, 200, `${filter}: ${reply.text}`);
    assert.equal(reply.json.value.map((e) => e.RowKey).join(''), rows, filter);
  }
}

test('filters find what they say (T81-T91)', checkFilters);

test('and the same in segments, of which only those are read that can match', async () => {
  await server.restart();
  await checkFilters();
  for (const [filter, blocks] of [['only eq 1', '1'], ['only gt 1', '0'], ['missing ne 1', '0']]) {
    assert.equal((await filtered(filter)).headers['x-downtick-blocks-read'], blocks, filter);
  }
});

test('a filter on both keys is a set of one row, or of none (T98)', async () => {
  for (const [rowKey, found] of [['a', 1], ['nothing', 0]]) {
    const answer = await filtered(`PartitionKey eq 'p' and RowKey eq '${rowKey}'`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json.value.length, found);
    assert.equal(answer.headers['x-ms-continuation-nextpartitionkey'], undefined);
  }
});

test('the client writes filters of its own (T88, T92, T97)', async () => {
  assert.equal(await rowsOf(odata`s eq ${"O'Neil"}`), 'b');
  assert.equal(await rowsOf(odata`i eq ${5}`), 'a');
  assert.equal(await rowsOf(odata`l eq ${5n}`), 'a');
  assert.equal(await rowsOf(odata`b eq ${true}`), 'a');
  assert.equal(await rowsOf(odata`t lt ${new Date('2021-01-01')}`), 'd');
  assert.equal(await rowsOf(undefined), 'abcde');
  assert.equal(await rowsOf(odata`Timestamp ge ${new Date(Date.now() - 3600_000)}`), 'abcde');
});

test('what is no filter is refused (T93, T94, T100)', async () => {
  const position = await filtered('aaa bbb ccc');
  assertRefused(position, 400, 'InvalidInput');
  assert.match(position.message, /^Syntax error at position 7 in 'aaa bbb ccc'\.\n/);
  for (const bad of ["s eq 'open", "s eq 'a' and", '(i eq 5', 'i eq 5)', 's = 5', 'i eq', "guid'x' eq g", "t eq datetime'soon'", "x eq X'0'", 'i EQ 5', "s eq 'a' xor b", "s eq 'a'\u0000", '('.repeat(5000)]) {
    const reply = await filtered(bad);
    assert.equal(reply.status, 400, `${bad.slice(0, 40)}: ${reply.text.slice(0, 200)}`);
    assert.equal(reply.code, 'InvalidInput', bad);
  }
  assertRefused(await filtered('i eq null'), 400, 'InvalidInput');
  assertRefused(await filtered('i ne null'), 400, 'InvalidInput');
  assertRefused(await filtered('i lt null'), 400, 'InvalidInput');
  assertRefused(await filtered('i eq l'), 501, 'NotImplemented');
  assertRefused(await filtered('5 eq 5'), 501, 'NotImplemented');
  assertRefused(await filtered("startswith(s,'a')"), 501, 'NotImplemented');
  for (const option of ['$orderby=s', '$skip=1', '$count=true', '$expand=s']) assertRefused(await raw(option), 501, 'NotImplemented', option);
  await assert.rejects(table.listEntities({ queryOptions: { filter: 'aaa bbb' } }).next(), failure(400, 'InvalidInput'));
});

test('a long filter of many comparisons works', async () => {
  const many = Array.from({ length: 100 }, (_, i) => `RowKey eq 'none${i}'`).join(' or ');
  assert.equal(await rowsOf(`${many} or RowKey eq 'c'`), 'c');
});

test('a form-encoded query means the same (T10)', async () => {
  const reply = await raw("%24filter=PartitionKey+eq+%27p%27+and+RowKey+eq+'a'&%24top=1");
  assert.equal(reply.json.value[0].RowKey, 'a');
});

test('a projection hides the rest (T95, T96)', async () => {
  const some = await raw(`$select=s,%20missing&$filter=${encodeURIComponent("RowKey eq 'a'")}`);
  assert.equal(some.json['odata.metadata'], `${server.url()}/$metadata#Queries&$select=s,%20missing`);
  const [{ 'odata.etag': etag, ...item }] = some.json.value;
  assert.match(etag, /^W\//);
  assert.deepEqual(item, { s: 'apple', missing: null });
  for (const all of ['$select=', '$select=*', '$select=%20']) {
    assert.equal((await raw(`${all}&$top=1`)).json.value[0].i, 5, all);
  }
  const entities = [];
  for await (const e of table.listEntities({ queryOptions: { select: ['RowKey', 'i'], filter: 'i eq 5' } })) entities.push(e);
  assert.deepEqual(entities.map(({ etag: _, ...rest }) => rest), [{ rowKey: 'a', i: 5 }]);
  const one = await call(server, 'GET', "/Queries(PartitionKey='p',RowKey='a')?$select=i");
  assert.equal(one.json['odata.metadata'], `${server.url()}/$metadata#Queries/@Element&$select=i`);
  assert.deepEqual(Object.keys(one.json), ['odata.metadata', 'odata.etag', 'i']);
});

test('a set says what it is', async () => {
  const reply = await raw('$top=1');
  assert.equal(reply.json['odata.metadata'], `${server.url()}/$metadata#Queries`);
  assert.equal(reply.headers.etag, undefined);
  assert.deepEqual((await call(server, 'GET', '/Queries?$top=1')).json.value, reply.json.value);
  const none = await call(server, 'GET', "/Queries()?$filter=PartitionKey%20eq%20'none'", { headers: { Accept: 'application/json;odata=nometadata' } });
  assert.equal(none.text, '{"value":[]}');
});

test('$top is 0 to 1000 (T80)', async () => {
  const none = await raw('$top=0');
  assert.deepEqual(none.json.value, []);
  assert.equal(none.headers['x-ms-continuation-nextpartitionkey'], undefined);
  for (const bad of ['1001', '-1', 'x', '', '1.5', '99999999999999999999']) assertRefused(await raw(`$top=${bad}`), 400, 'InvalidInput', bad);
});

test('rows come in order of their keys, UTF-16 unit by unit (T75, T89, T77, T78)', async () => {
  const other = await server.newTable('Order');
  const keys = ['', ' ', 'A', 'B', 'Z', 'a', 'aa', 'b', 'é', '日', '😀', '\ud7ff', '\uffee', '~', '0', '10', '9', "'"];
  for (const key of keys) await other.createEntity({ partitionKey: key, rowKey: key });
  const ordered = [...keys].sort(); // JavaScript compares UTF-16 units
  const paged = [];
  for await (const page of other.listEntities().byPage({ maxPageSize: 1 })) paged.push(...page.map((e) => e.partitionKey));
  assert.deepEqual(paged, ordered);
  let token = '';
  for (let i = 0; i < keys.length; ++i) {
    const reply = await call(server, 'GET', `/Order()?$top=1${token}`);
    assert.equal(reply.json.value[0].PartitionKey, ordered[i]);
    const pk = reply.headers['x-ms-continuation-nextpartitionkey'];
    const rk = reply.headers['x-ms-continuation-nextrowkey'];
    if (i + 1 === keys.length) {
      assert.equal(pk, undefined);
    } else {
      assert.match(pk, /^[!-~]+$/);
      assert.match(rk ?? 'none', /^[!-~]+$/);
      token = `&NextPartitionKey=${encodeURIComponent(pk)}&NextRowKey=${encodeURIComponent(rk ?? '')}`;
    }
  }
  const inOne = await server.newTable('OrderRows');
  await inOne.submitTransaction(keys.map((rowKey) => ['create', { partitionKey: 'p', rowKey }]));
  const rows = [];
  for await (const e of inOne.listEntities()) rows.push(e.rowKey);
  assert.deepEqual(rows, ordered);
});

test('a token of a deleted row goes on with the next (T79)', async () => {
  const other = await server.newTable('Tokens');
  for (const rowKey of ['1', '2', '3']) await other.createEntity({ partitionKey: 'p', rowKey });
  const first = await call(server, 'GET', '/Tokens()?$top=1');
  await other.deleteEntity('p', '2');
  const token = `NextPartitionKey=${first.headers['x-ms-continuation-nextpartitionkey']}&NextRowKey=${first.headers['x-ms-continuation-nextrowkey']}`;
  assert.equal((await call(server, 'GET', `/Tokens()?$top=1&${token}`)).json.value[0].RowKey, '3');
  for (const bad of ['NextPartitionKey=x', 'NextPartitionKey=1!4!%20', 'NextPartitionKey=1!8!$$$$', 'NextPartitionKey=2!4!YQ--', `NextPartitionKey=1!4!YQ--&NextRowKey=zz`]) {
    assertRefused(await call(server, 'GET', `/Tokens()?${bad}`), 400, 'InvalidInput', bad);
  }
});

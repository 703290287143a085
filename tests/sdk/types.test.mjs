// Property types, names and sizes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failure } from './lib/expect.mjs';
import { Server } from './lib/server.mjs';
import { call } from './lib/wire.mjs';

let server;
let table;
let nextRow = 0;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Types');
});
after(() => server.stop());

const row = () => String(++nextRow);

// Inserts the members of a raw JSON object, given as text, and reads them back.
async function roundTrip(members) {
  const rowKey = row();
  const reply = await call(server, 'POST', '/Types', { body: `{"PartitionKey":"p","RowKey":"${rowKey}",${members}}` });
  if (reply.status !== 201) return reply;
  const read = await call(server, 'GET', `/Types(PartitionKey='p',RowKey='${rowKey}')`);
  assert.equal(read.text.replace(/^.*?"RowKey"/, ''), reply.text.replace(/^.*?"RowKey"/, ''), 'an insert answers what a get reads');
  const { PartitionKey, RowKey, Timestamp, ...rest } = read.json;
  return Object.assign(read, { properties: Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('odata.'))) });
}

async function assertRefused(members, code, status = 400) {
  const reply = await roundTrip(members);
  assert.equal(reply.status, status, `${members.slice(0, 200)} ${reply.text.slice(0, 300)}`);
  assert.equal(reply.code, code, members.slice(0, 200));
}

test('every type makes the round trip through the client (T41, T44, T45)', async () => {
  const entity = {
    partitionKey: 'sdk',
    rowKey: 'all',
    text: 'grüße 😀 "quoted" \\ \u0001 \n',
    empty: '',
    int: -2147483648,
    double: 1.5,
    whole: { type: 'Double', value: '5' },
    yes: true,
    no: false,
    long: 9223372036854775807n,
    longMin: -9223372036854775808n,
    at: new Date('2026-11-16T01:02:03.456Z'),
    precise: { type: 'DateTime', value: '2026-11-16T01:02:03.1234567Z' },
    guid: { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    bytes: new Uint8Array([0, 1, 254, 255]),
    nan: { type: 'Double', value: 'NaN' },
    up: { type: 'Double', value: 'Infinity' },
    down: { type: 'Double', value: '-Infinity' },
  };
  await table.createEntity(entity);
  const { etag, timestamp, 'odata.metadata': metadata, ...read } = await table.getEntity('sdk', 'all');
  assert.deepEqual(
    { ...read, bytes: [...read.bytes] },
    {
      ...entity,
      whole: 5,
      bytes: [0, 1, 254, 255],
      at: new Date('2026-11-16T01:02:03.456Z'),
      precise: new Date('2026-11-16T01:02:03.1234567Z'),
      nan: 'NaN', // the client leaves these as they are on the wire
      up: 'Infinity',
      down: '-Infinity',
    },
  );
  const plain = await table.getEntity('sdk', 'all', { disableTypeConversion: true });
  assert.deepEqual(plain.precise, { type: 'DateTime', value: '2026-11-16T01:02:03.1234567Z' });
  assert.deepEqual(plain.long, { type: 'Int64', value: '9223372036854775807' });
});

test('numbers keep their kind (T42, T43)', async () => {
  const read = await roundTrip('"i":5,"d":5.0,"e":5e0,"f":5,"f@odata.type":"Edm.Double","big":5000000000,"m":-2147483648,"z":-0.0,"tiny":5e-324');
  assert.match(read.text, /"big":(5000000000\.0|5e\+?0?9),"d":5\.0,"e":5\.0,"f":5\.0,"i":5,"m":-2147483648,/);
  assert.equal(read.json['f@odata.type'], undefined);
  assert.ok(Object.is(read.json.z, -0));
  assert.equal(read.json.tiny, 5e-324);
  for (const value of [0.1, 1e21, 1.7976931348623157e308, 123456789.123456789, 2 ** 53 + 2]) {
    assert.equal((await roundTrip(`"d":${value},"d@odata.type":"Edm.Double"`)).json.d, value);
  }
});

test('Int64 and Double end where they end (T44, T45, T46)', async () => {
  for (const value of ['9223372036854775807', '-9223372036854775808', '0']) {
    const read = await roundTrip(`"n":"${value}","n@odata.type":"Edm.Int64"`);
    assert.deepEqual(read.properties, { 'n@odata.type': 'Edm.Int64', n: value });
  }
  for (const value of ['9223372036854775808', '-9223372036854775809', '', '1.5', 'x', '1 ']) {
    await assertRefused(`"n":"${value}","n@odata.type":"Edm.Int64"`, 'InvalidInput');
  }
  for (const value of ['NaN', 'Infinity', '-Infinity']) {
    assert.deepEqual((await roundTrip(`"n@odata.type":"Edm.Double","n":"${value}"`)).properties, { 'n@odata.type': 'Edm.Double', n: value });
  }
  await assertRefused('"n":1e400', 'InvalidInput');
  await assertRefused('"n":"1e400","n@odata.type":"Edm.Double"', 'InvalidInput');
  await assertRefused('"n":2147483648,"n@odata.type":"Edm.Int32"', 'InvalidInput');
});

test('DateTime has steps of 100 ns and a range (T47, T48)', async () => {
  const pairs = {
    '2026-11-16T01:02:03.1234567Z': '2026-11-16T01:02:03.1234567Z',
    '2026-11-16T01:02:03.1200000Z': '2026-11-16T01:02:03.12Z',
    '2026-11-16T01:02:03.0000000Z': '2026-11-16T01:02:03Z',
    '2026-11-16T01:02:03': '2026-11-16T01:02:03Z',
    '2026-11-16T01:02:03+02:00': '2026-11-15T23:02:03Z',
    '2026-11-16T01:02:03.123456789Z': '2026-11-16T01:02:03.1234567Z',
    '1601-01-01T00:00:00Z': '1601-01-01T00:00:00Z',
    '9999-12-31T23:59:59.9999999Z': '9999-12-31T23:59:59.9999999Z',
    '2024-02-29T00:00:00Z': '2024-02-29T00:00:00Z',
  };
  for (const [given, expected] of Object.entries(pairs)) {
    assert.equal((await roundTrip(`"t":"${given}","t@odata.type":"Edm.DateTime"`)).json.t, expected, given);
  }
  await assertRefused('"t":"1600-12-31T00:00:00Z","t@odata.type":"Edm.DateTime"', 'OutOfRangeInput');
  for (const bad of ['', 'yesterday', '2023-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-16T25:00:00Z']) {
    await assertRefused(`"t":"${bad}","t@odata.type":"Edm.DateTime"`, 'InvalidInput');
  }
});

test('Guid and Binary (T49, T50)', async () => {
  const read = await roundTrip('"g":"C9DA6455-213D-42C9-9A79-3E9149A57833","g@odata.type":"Edm.Guid"');
  assert.equal(read.json.g, 'c9da6455-213d-42c9-9a79-3e9149a57833');
  for (const bad of ['', 'c9da6455', 'c9da6455-213d-42c9-9a79-3e9149a5783g', 'c9da6455213d42c99a793e9149a57833aaaa']) {
    await assertRefused(`"g":"${bad}","g@odata.type":"Edm.Guid"`, 'InvalidInput');
  }
  const largest = Buffer.alloc(65536, 7).toString('base64');
  assert.equal((await roundTrip(`"b":"${largest}","b@odata.type":"Edm.Binary"`)).json.b, largest);
  assert.equal((await roundTrip('"b":"","b@odata.type":"Edm.Binary"')).json.b, '');
  await assertRefused(`"b":"${Buffer.alloc(65537).toString('base64')}","b@odata.type":"Edm.Binary"`, 'PropertyValueTooLarge');
  await assertRefused('"b":"!","b@odata.type":"Edm.Binary"', 'InvalidInput');
});

test('strings are counted in UTF-16 units (T51)', async () => {
  for (const text of ['a'.repeat(32768), '😀'.repeat(16384), '€'.repeat(32768)]) {
    assert.equal((await roundTrip(`"s":${JSON.stringify(text)}`)).json.s, text);
    await assertRefused(`"s":${JSON.stringify(`${text}a`)}`, 'PropertyValueTooLarge');
  }
});

test('annotations may come late, and as text (T52, T53)', async () => {
  const read = await roundTrip('"n":"5","b":"False","c":"TRUE","i":"12","n@odata.type":"Edm.Int64","b@odata.type":"Edm.Boolean","c@odata.type":"Edm.Boolean","i@odata.type":"Edm.Int32"');
  assert.deepEqual([read.json.n, read.json.b, read.json.c, read.json.i], ['5', false, true, 12]);
  assert.deepEqual((await roundTrip('"x@odata.type":"Edm.Int64","a":1')).properties, { a: 1 });
  await assertRefused('"a":1,"a@odata.type":"Edm.Nonsense"', 'InvalidInput');
});

test('null is nothing, and does not delete (T54)', async () => {
  assert.deepEqual((await roundTrip('"a":1,"b":null')).properties, { a: 1 });
  await table.createEntity({ partitionKey: 'n', rowKey: 'n', a: 1 });
  const reply = await call(server, 'PATCH', "/Types(PartitionKey='n',RowKey='n')", { body: '{"a":null,"b":2}', headers: { 'If-Match': '*' } });
  assert.equal(reply.status, 204);
  const read = await table.getEntity('n', 'n');
  assert.deepEqual([read.a, read.b], [1, 2]);
});

test('252 properties and no more (T55)', async () => {
  const entity = { partitionKey: 'w', rowKey: 'w' };
  for (let i = 0; i < 252; ++i) entity[`p${i}`] = i;
  await table.createEntity(entity);
  assert.equal((await table.getEntity('w', 'w')).p251, 251);
  await assert.rejects(table.createEntity({ ...entity, rowKey: 'x', p252: 0 }), failure(400, 'TooManyProperties'));
});

test('property names are identifiers, with regard to case (T56, T57, T58)', async () => {
  const longest = 'n'.repeat(255);
  assert.equal((await roundTrip(`"${longest}":1`)).json[longest], 1);
  await assertRefused(`"${longest}n":1`, 'PropertyNameTooLong');
  for (const bad of ['123', 'a-b', 'a b', '', 'a.b', '$a']) await assertRefused(`"${bad}":1`, 'PropertyNameInvalid');
  assert.deepEqual((await roundTrip('"Birthday":1,"birthday":2,"_x":3,"grün":4,"日本":5')).properties, { Birthday: 1, birthday: 2, _x: 3, grün: 4, 日本: 5 });
  await assertRefused('"a":1,"a":2', 'DuplicatePropertiesSpecified');
});

test('what a server sets is ignored in a body (T59)', async () => {
  const read = await roundTrip(
    '"Timestamp":"2001-01-01T00:00:00Z","Timestamp@odata.type":"Edm.DateTime","odata.etag":"x","odata.metadata":"y","odata.type":"z","odata.id":"i","odata.editLink":"e","ETag":"kept"',
  );
  assert.deepEqual(read.properties, { ETag: 'kept' });
  assert.ok(new Date(read.json.Timestamp).getFullYear() > 2020);
  assert.equal((await roundTrip('"Timestamp":null,"a":1')).status, 200);
});

// 4 + 2 * (keys) + for each property 8 + 2 * name + 4 + bytes.
function entityOfSize(bytes, rowKey) {
  const entity = { partitionKey: 'b', rowKey };
  let left = bytes - 4 - 2 * (1 + rowKey.length);
  for (let i = 0; left > 0; ++i) {
    const name = `b${String(i).padStart(2, '0')}`;
    const overhead = 8 + 2 * name.length + 4;
    const size = Math.min(65536, left - overhead);
    entity[name] = new Uint8Array(size);
    left -= overhead + size;
  }
  return entity;
}

test('an entity has 1 MiB at most (T60)', async () => {
  await table.createEntity(entityOfSize(1 << 20, 'fits'));
  assert.equal((await table.getEntity('b', 'fits')).b00.length, 65536);
  await assert.rejects(table.createEntity(entityOfSize((1 << 20) + 1, 'over')), failure(400, 'EntityTooLarge'));
});

test('a body has 4 MiB at most (T61)', async () => {
  const reply = await call(server, 'POST', '/Types', { body: `{"PartitionKey":"p","RowKey":"r","x":"${'a'.repeat(4 << 20)}"}` });
  assert.equal(reply.status, 413);
  assert.equal(reply.code, 'RequestBodyTooLarge');
});

test('malformed JSON is told so, in JSON (T62)', async () => {
  const whole = '{"PartitionKey":"p","RowKey":"r"';
  for (const body of ['', '{', whole, `${whole},}`, `${whole}}}`, `${whole},"a":{}}`, `${whole},"a":[1]}`, `${whole},"a":01}`, `${whole},"a":"\\ud800"}`, '[]', 'null', '5', `${whole},"a":"\x01"}`, '['.repeat(100000)]) {
    const reply = await call(server, 'POST', '/Types', { body });
    assert.equal(reply.status, 400, body.slice(0, 80));
    assert.ok(reply.code, body.slice(0, 80));
    assert.match(reply.message, /\nRequestId:.*\nTime:/);
  }
  const invalidUtf8 = Buffer.concat([Buffer.from(`${whole},"a":"`), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  assert.equal((await call(server, 'POST', '/Types', { body: invalidUtf8 })).status, 400);
});

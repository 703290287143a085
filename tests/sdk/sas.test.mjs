// Shared access signatures: what they open and what they do not.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AzureNamedKeyCredential, AzureSASCredential, generateAccountSas, generateTableSas, TableClient, TableServiceClient } from '@azure/data-tables';
import { assertRefused, failure } from './lib/expect.mjs';
import { development, Server } from './lib/server.mjs';
import { hmac, minimal, send } from './lib/wire.mjs';

const credential = new AzureNamedKeyCredential(development.name, development.key);
const hour = 3600_000;
const insecure = { allowInsecureConnection: true };

let server;
let owner;
before(async () => {
  server = await Server.start();
  owner = await server.newTable('Shared');
  for (const partitionKey of ['a', 'b', 'c']) {
    for (const rowKey of ['1', '2', '3']) await owner.createEntity({ partitionKey, rowKey, n: 1 });
  }
});
after(() => server.stop());

const everything = { query: true, add: true, update: true, delete: true };
const tableSas = (options = {}, name = 'Shared') => generateTableSas(name, credential, { permissions: everything, expiresOn: new Date(Date.now() + hour), ...options });
const clientOf = (sas, name = 'Shared') => new TableClient(server.url(), name, new AzureSASCredential(sas), insecure);
const accountSas = (options = {}) =>
  generateAccountSas(credential, { permissions: { list: true, query: true, write: true, add: true, update: true, delete: true }, expiresOn: new Date(Date.now() + hour), ...options });
const serviceOf = (sas) => new TableServiceClient(server.url(), new AzureSASCredential(sas), insecure);
const get = (path, sas) => send(server, 'GET', `/${development.name}${path}${path.includes('?') ? '&' : '?'}${sas}`, { Accept: minimal });

async function keysOf(client, options = {}) {
  const keys = [];
  for await (const e of client.listEntities(options)) keys.push(e.partitionKey + e.rowKey);
  return keys;
}

test('a table SAS opens its table for everything it names (T120, T10)', async () => {
  const client = clientOf(tableSas());
  await client.createEntity({ partitionKey: 'sas', rowKey: '1', text: 'x y' });
  await client.upsertEntity({ partitionKey: 'sas', rowKey: '1', n: 2 }, 'Merge');
  await client.updateEntity({ partitionKey: 'sas', rowKey: '1', n: 3 }, 'Replace');
  assert.deepEqual(await keysOf(client, { queryOptions: { filter: "PartitionKey eq 'sas' and n eq 3" } }), ['sas1']);
  await client.submitTransaction([
    ['create', { partitionKey: 'sas', rowKey: '2' }],
    ['delete', { partitionKey: 'sas', rowKey: '1' }],
  ]);
  await client.deleteEntity('sas', '2');
  assert.deepEqual(await keysOf(clientOf(tableSas({}, 'SHARED'))), await keysOf(owner));
});

test('and for nothing else (T120)', async () => {
  await server.newTable('Closed');
  const sas = tableSas();
  await assert.rejects(keysOf(clientOf(sas, 'Closed')), { statusCode: 403 });
  assert.equal((await get('/Tables', sas)).status, 403);
  assert.equal((await get("/Tables('Shared')", sas)).status, 403);
  assert.equal((await get('/Shared?comp=acl', sas)).status, 403);
  assert.equal((await get('/?restype=service&comp=properties', sas)).status, 403);
  await assert.rejects(clientOf(sas).deleteTable(), { statusCode: 403 });
  const stolen = sas.replace('tn=Shared', 'tn=Closed');
  assertRefused(await get('/Closed()', stolen), 403, 'AuthenticationFailed');
});

test('each letter opens what it is for (T121)', async () => {
  const attempts = {
    query: (c) => c.getEntity('a', '1'),
    add: (c) => c.createEntity({ partitionKey: 'letters', rowKey: String(Math.random()) }),
    update: (c) => c.updateEntity({ partitionKey: 'a', rowKey: '1', n: 1 }, 'Merge'),
    delete: async (c) => {
      await owner.upsertEntity({ partitionKey: 'letters', rowKey: 'del' });
      await c.deleteEntity('letters', 'del');
    },
  };
  for (const letter of Object.keys(attempts)) {
    const client = clientOf(tableSas({ permissions: { [letter]: true } }));
    for (const [wanted, attempt] of Object.entries(attempts)) {
      if (wanted === letter) await attempt(client);
      else await assert.rejects(attempt(client), failure(403, 'AuthorizationPermissionMismatch'), `${letter} for ${wanted}`);
    }
  }
  const upsert = (permissions) => clientOf(tableSas({ permissions })).upsertEntity({ partitionKey: 'letters', rowKey: 'up' }, 'Replace');
  await assert.rejects(upsert({ add: true }), failure(403, 'AuthorizationPermissionMismatch'));
  await assert.rejects(upsert({ update: true }), failure(403, 'AuthorizationPermissionMismatch'));
  await upsert({ add: true, update: true });
});

test('a batch needs the letters of all its operations (T120)', async () => {
  const client = clientOf(tableSas({ permissions: { add: true } }));
  await client.submitTransaction([['create', { partitionKey: 'batch', rowKey: '1' }]]);
  await assert.rejects(
    client.submitTransaction([
      ['create', { partitionKey: 'batch', rowKey: '2' }],
      ['delete', { partitionKey: 'batch', rowKey: '1' }],
    ]),
    { statusCode: 403 },
  );
  await assert.rejects(owner.getEntity('batch', '2'), { statusCode: 404 });
});

test('a batch does not tell which other tables there are', async () => {
  await server.newTable('Hidden');
  for (const name of ['Hidden', 'Nowhere']) {
    const attempt = clientOf(tableSas(), name).submitTransaction([['create', { partitionKey: 'batch', rowKey: '3' }]]);
    await assert.rejects(attempt, { statusCode: 403 }, name);
  }
});

test('a key range limits reads and writes (T122)', async () => {
  const client = clientOf(tableSas({ startPartitionKey: 'a', startRowKey: '2', endPartitionKey: 'b', endRowKey: '2' }));
  assert.deepEqual(await keysOf(client), ['a2', 'a3', 'b1', 'b2']);
  assert.deepEqual(await keysOf(client, { queryOptions: { filter: "RowKey eq '1'" } }), ['b1']);
  const paged = [];
  for await (const page of client.listEntities().byPage({ maxPageSize: 1 })) paged.push(...page.map((e) => e.partitionKey + e.rowKey));
  assert.deepEqual(paged, ['a2', 'a3', 'b1', 'b2']);
  assert.equal((await client.getEntity('b', '1')).n, 1);
  await assert.rejects(client.getEntity('a', '1'), failure(404, 'ResourceNotFound'));
  await assert.rejects(client.getEntity('c', '1'), failure(404, 'ResourceNotFound'));
  await assert.rejects(client.upsertEntity({ partitionKey: 'b', rowKey: '3' }), failure(403, 'AuthorizationFailure'));
  await assert.rejects(client.createEntity({ partitionKey: 'Z', rowKey: '3' }), failure(403, 'AuthorizationFailure'));
  await assert.rejects(client.deleteEntity('c', '1'), failure(403, 'AuthorizationFailure'));
  await assert.rejects(client.submitTransaction([['delete', { partitionKey: 'c', rowKey: '1' }]]), { statusCode: 403 });
  await client.updateEntity({ partitionKey: 'b', rowKey: '2', n: 1 }, 'Merge');
  // A token from outside leads nowhere.
  const token = 'NextPartitionKey=1!4!Yw--&NextRowKey=1!4!MQ--';
  const range = tableSas({ startPartitionKey: 'a', endPartitionKey: 'b' });
  assert.deepEqual((await get(`/Shared()?${token}`, range)).json.value, []);
});

test('before its time and after it a SAS is worth nothing (T123)', async () => {
  const now = Date.now();
  await assert.rejects(keysOf(clientOf(tableSas({ startsOn: new Date(now - 2 * hour), expiresOn: new Date(now - hour) }))), failure(403, 'AuthenticationFailed'));
  await assert.rejects(keysOf(clientOf(tableSas({ startsOn: new Date(now + hour), expiresOn: new Date(now + 2 * hour) }))), failure(403, 'AuthenticationFailed'));
  await keysOf(clientOf(tableSas({ startsOn: new Date(now - hour) })));
});

test('an account SAS opens services, types and letters (T119)', async () => {
  const service = serviceOf(accountSas());
  await service.createTable('ByAccount');
  const names = [];
  for await (const t of service.listTables()) names.push(t.name);
  assert.ok(names.includes('ByAccount'));
  await clientOf(accountSas(), 'ByAccount').createEntity({ partitionKey: 'p', rowKey: 'r' });
  await service.deleteTable('ByAccount');

  const code = async (fields, path = '/Shared()') => (await get(path, signedAccountSas(fields))).code;
  assert.equal(await code({ ss: 'b' }), 'AuthorizationServiceMismatch');
  assert.equal(await code({ srt: 's' }), 'AuthorizationResourceTypeMismatch');
  assert.equal(await code({ sp: 'l' }), 'AuthorizationPermissionMismatch');
  assert.equal(await code({ spr: 'https' }), 'AuthorizationProtocolMismatch');
  assert.equal(await code({ sip: '10.0.0.1' }), 'AuthorizationSourceIPMismatch');
  assert.equal(await code({ srt: 'o' }, '/Tables'), 'AuthorizationResourceTypeMismatch');
  assert.equal(await code({ sp: 'r' }, '/Tables'), 'AuthorizationPermissionMismatch');
  for (const fields of [{}, { spr: 'https,http' }, { sip: '127.0.0.1' }, { sip: '127.0.0.0-127.0.0.9' }, { sv: '2021-06-08' }, { srt: 'c' }]) {
    assert.equal((await get('/Shared()', signedAccountSas(fields))).status, 200, JSON.stringify(fields));
  }
});

function signedAccountSas(changes) {
  const f = { sv: '2019-02-02', ss: 't', srt: 'sco', sp: 'rwdlau', st: '', se: '2099-01-01T00:00:00Z', sip: '', spr: '', ...changes };
  const newer = f.sv >= '2020-12-06' ? '\n' : '';
  const text = `${[development.name, f.sp, f.ss, f.srt, f.st, f.se, f.sip, f.spr, f.sv].join('\n')}\n${newer}`;
  const given = Object.entries(f).filter(([, value]) => value !== '');
  return new URLSearchParams([...given, ['sig', hmac(text)]]).toString();
}

test('an address range knows an IPv4 client of an IPv6 listener', async (t) => {
  const options = ['--bind', '::ffff:127.0.0.1', '--allow-development-key', '--token', 'unused'];
  const mapped = await Server.start({ options }).catch((error) => error);
  if (!(mapped instanceof Server)) return t.skip(`no IPv6 on this machine: ${mapped.message}`);
  try {
    await mapped.newTable('Shared');
    const from = (start, end) => {
      const sas = tableSas({ ipRange: { start, end } });
      return send(mapped, 'GET', `/${development.name}/Shared()?${sas}`, { Accept: minimal });
    };
    assert.equal((await from('127.0.0.1', '127.0.0.1')).status, 200);
    assertRefused(await from('10.0.0.1', '10.0.0.9'), 403, 'AuthorizationSourceIPMismatch');
  } finally {
    await mapped.stop();
  }
});

test('signatures made elsewhere verify (T115)', async () => {
  await server.newTable('people');
  const at = (query) => get('/people()', query);
  const valid = [
    'sv=2019-02-02&tn=people&sp=raud&se=2099-01-01T00:00:00Z&sig=2oadu6o0IKPsTtbXJcQTojHvtYzLk6U1WL88wZAoL%2B4%3D',
    'sv=2019-02-02&tn=People&sp=r&st=2020-01-01T00:00:00Z&se=2099-01-01T00:00:00Z&spr=https,http&spk=a&srk=b&epk=c&erk=d&sig=uVTnEUOfHvnvSqLsybdriUBHp8quKAiLPI41ID2C%2B5w%3D',
    'sv=2013-08-15&tn=people&sp=r&se=2099-01-01T00:00:00Z&sig=1KJS9p1T6yMlINCl79xa%2FNxi%2BjOkRHjkfsFL0s1ldCc%3D',
    'sv=2019-02-02&ss=t&srt=sco&sp=rwdlau&se=2099-01-01T00:00:00Z&sig=1f2RBT4%2FGDDLcbDYDcJHEVh8r0WUFwGsEgHrfLe0gxA%3D',
    'sv=2021-06-08&ss=t&srt=sco&sp=rwdlau&se=2099-01-01T00:00:00Z&sig=fh8u7ZtQ2etR8arpvM%2F6nIt7a0277Hj8f9uWztRQyu8%3D',
  ];
  for (const query of valid) assert.equal((await at(query)).status, 200, query);
});

test('a changed field spoils a signature', async () => {
  const good = tableSas({ permissions: { query: true }, startPartitionKey: 'a', endPartitionKey: 'b' });
  const forged = [
    good.replace('sp=r', 'sp=raud'),
    good.replace('epk=b', 'epk=c'),
    good.replace('&epk=b', ''),
    good.replace(/se=[^&]*/, 'se=2099-01-01T00%3A00%3A00Z'),
    good.replace(/sig=[^&]*/, 'sig='),
    good.replace(/sig=[^&]*/, 'sig=AAAA'),
    good.replace(/sig=[^&]*/, `sig=${encodeURIComponent(hmac('', Buffer.alloc(64).toString('base64')))}`),
    good.replace(/&?sig=[^&]*/, ''),
    good.replace(/sv=[^&]*/, 'sv=2012-02-12'),
    `${good}&skoid=x`,
    `${good}&si=policy`,
    `ss=t&srt=sco&${good}`,
  ];
  for (const query of forged) {
    const reply = await get('/Shared()', query);
    assert.equal(reply.status, 403, query);
    assert.equal(reply.code, 'AuthenticationFailed', query);
  }
});

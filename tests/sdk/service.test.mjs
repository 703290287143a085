// Access policies, service properties, statistics, CORS, and being told to wait.

import assert from 'node:assert/strict';
import { createServer as createHttpServer, request } from 'node:http';
import { after, before, test } from 'node:test';
import { AzureNamedKeyCredential, AzureSASCredential, generateTableSas, TableClient } from '@azure/data-tables';
import { assertRefused, failure } from './lib/expect.mjs';
import { development, Server } from './lib/server.mjs';
import { call, send } from './lib/wire.mjs';

const credential = new AzureNamedKeyCredential(development.name, development.key);
const hour = 3600_000;

let server;
let table;
before(async () => {
  server = await Server.start();
  table = await server.newTable('Policies');
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
});
after(() => server.stop());

const setAcl = (body, name = 'Policies') => call(server, 'PUT', `/${name}?comp=acl`, { body, headers: { 'Content-Type': 'application/xml' } });
const getAcl = (name = 'Policies') => call(server, 'GET', `/${name}?comp=acl`);
const identifier = (id, inner = '') => `<SignedIdentifier><Id>${id}</Id>${inner}</SignedIdentifier>`;
const list = (...items) => `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>${items.join('')}</SignedIdentifiers>`;
const byPolicy = (id, options = {}) =>
  new TableClient(server.url(), 'Policies', new AzureSASCredential(generateTableSas('Policies', credential, { identifier: id, ...options })), { allowInsecureConnection: true });

test('policies are stored and come back with seven digits (T125)', async () => {
  const start = new Date('2026-01-01T00:00:00Z');
  const expiry = new Date('2099-01-01T00:00:00Z');
  const five = Array.from({ length: 5 }, (_, i) => ({ id: `id <&> ${i}`, accessPolicy: { start, expiry, permission: 'raud' } }));
  await table.setAccessPolicy(five);
  const signedIdentifiers = await table.getAccessPolicy();
  assert.deepEqual(signedIdentifiers, five);
  assert.match((await getAcl()).text, /<Start>2026-01-01T00:00:00\.0000000Z<\/Start>/);
  assertRefused(await setAcl(list(...Array.from({ length: 6 }, (_, i) => identifier(i)))), 400, 'InvalidXmlDocument');
  assert.equal((await table.getAccessPolicy()).length, 5);
});

test('parts of a policy may be missing, and the list empty', async () => {
  assert.equal((await setAcl(list(identifier('bare'), identifier('some', '<AccessPolicy><Permission>r</Permission></AccessPolicy>')))).status, 204);
  const reply = await getAcl();
  assert.match(reply.headers['content-type'], /^application\/xml/);
  assert.match(reply.text, /<SignedIdentifier><Id>bare<\/Id>(<AccessPolicy ?\/>)?<\/SignedIdentifier>/);
  assert.match(reply.text, /<Id>some<\/Id><AccessPolicy><Permission>r<\/Permission><\/AccessPolicy>/);
  for (const nothing of [list(), '<SignedIdentifiers />', '']) {
    assert.equal((await setAcl(list(identifier('x')))).status, 204);
    assert.equal((await setAcl(nothing)).status, 204, nothing);
    assert.deepEqual((await table.getAccessPolicy()), []);
  }
});

test('what is no list of policies is refused', async () => {
  const bad = [
    '<',
    '<SignedIdentifiers>',
    list(identifier('')),
    list(identifier('a'.repeat(65))),
    list(identifier('twice'), identifier('twice')),
    list(identifier('a', '<AccessPolicy><Permission>x</Permission></AccessPolicy>')),
    list(identifier('a', '<AccessPolicy><Start>soon</Start></AccessPolicy>')),
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><SignedIdentifiers>&b;</SignedIdentifiers>',
    '<a>'.repeat(20000),
  ];
  for (const body of bad) assertRefused(await setAcl(body), 400, 'InvalidXmlDocument', body.slice(0, 60));
  assertRefused(await getAcl('Missing'), 404, 'TableNotFound');
  assertRefused(await setAcl(list(), 'Missing'), 404, 'TableNotFound');
  assert.match((await getAcl('Missing')).text, /^<\?xml [^>]*><m:error /);
});

test('a signature can rest on a policy, and falls with it at once (T123)', async () => {
  const until = (date, permission = 'r') => table.setAccessPolicy([{ id: 'readers', accessPolicy: { start: new Date(0), expiry: date, permission } }]);
  await until(new Date(Date.now() + hour));
  const client = byPolicy('readers');
  assert.ok(await client.getEntity('p', 'r'));
  await assert.rejects(client.createEntity({ partitionKey: 'p', rowKey: 'x' }), failure(403, 'AuthorizationPermissionMismatch'));
  await until(new Date(Date.now() - hour));
  await assert.rejects(client.getEntity('p', 'r'), failure(403, 'AuthenticationFailed'));
  await until(new Date(Date.now() + hour), 'ra');
  await client.createEntity({ partitionKey: 'p', rowKey: 'x' });
  await table.setAccessPolicy([]);
  await assert.rejects(client.getEntity('p', 'r'), failure(403, 'AuthenticationFailed'));
  await assert.rejects(byPolicy('nobody').getEntity('p', 'r'), failure(403, 'AuthenticationFailed'));
});

test('a field is said once, in the URL or in the policy (T124)', async () => {
  const expiry = new Date(Date.now() + hour);
  await table.setAccessPolicy([{ id: 'whole', accessPolicy: { expiry, permission: 'r', start: new Date(0) } }, { id: 'letters', accessPolicy: { permission: 'r', start: new Date(0) } }]);
  await assert.rejects(byPolicy('whole', { expiresOn: expiry }).getEntity('p', 'r'), failure(400, 'InvalidQueryParameterValue'));
  await assert.rejects(byPolicy('letters').getEntity('p', 'r'), failure(403, 'AuthenticationFailed'));
});

test('policies live through a kill of the server, and end with their table', async () => {
  const other = await server.newTable('Lasting');
  await other.setAccessPolicy([{ id: 'kept', accessPolicy: { start: new Date(0), expiry: new Date('2099-01-01'), permission: 'r' } }]);
  await server.restart('SIGKILL');
  assert.equal((await other.getAccessPolicy())[0].id, 'kept');
  await other.deleteTable();
  await other.createTable();
  assert.deepEqual((await other.getAccessPolicy()), []);
});

const setProperties = (body) => call(server, 'PUT', '/?restype=service&comp=properties', { body, headers: { 'Content-Type': 'application/xml' } });
const rule = (origins, methods, headers = '*', exposed = '*') =>
  `<CorsRule><AllowedMethods>${methods}</AllowedMethods><AllowedOrigins>${origins}</AllowedOrigins><AllowedHeaders>${headers}</AllowedHeaders><ExposedHeaders>${exposed}</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>`;
const corsOnly = (...rules) => `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Cors>${rules.join('')}</Cors></StorageServiceProperties>`;

test('properties have defaults, and a part left out stays (T126)', async () => {
  const service = server.service();
  const first = await service.getProperties();
  assert.equal(first.hourMetrics.enabled, true);
  assert.equal(first.logging.write, false);
  await service.setProperties({ logging: { version: '1.0', read: true, write: true, delete: true, retentionPolicy: { enabled: true, days: 5 } } });
  assert.equal((await setProperties(corsOnly(rule('http://a.example', 'GET,PUT', 'x-ms-*,content-type')))).status, 202);
  const second = await service.getProperties();
  assert.deepEqual(second.logging, { version: '1.0', read: true, write: true, delete: true, retentionPolicy: { enabled: true, days: 5 } });
  assert.equal(second.hourMetrics.retentionPolicy.days, 7);
  assert.equal(second.cors[0].allowedOrigins, 'http://a.example');
  assert.equal(second.cors[0].maxAgeInSeconds, 60);
});

test('two who set different parts at the same time both have theirs', async () => {
  const logging = (days) => `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>${days}</Days></RetentionPolicy></Logging></StorageServiceProperties>`;
  for (let round = 1; round <= 100; ++round) {
    const answers = await Promise.all([setProperties(logging(round)), setProperties(corsOnly(rule(`http://${round}.example`, 'GET')))]);
    assert.deepEqual(answers.map((a) => a.status), [202, 202]);
    const now = await server.service().getProperties();
    assert.equal(now.logging.retentionPolicy.days, round);
    assert.equal(now.cors[0].allowedOrigins, `http://${round}.example`);
  }
});

test('at most five rules (T127)', async () => {
  assertRefused(await setProperties(corsOnly(...Array(6).fill(rule('*', 'GET')))), 400, 'InvalidXmlDocument');
  assert.equal((await setProperties(corsOnly(...Array(5).fill(rule('*', 'GET'))))).status, 202);
  assertRefused(await setProperties('<nonsense'), 400, 'InvalidXmlDocument');
  const badMethod = await setProperties(corsOnly(rule('*', 'BREW')));
  assert.equal(badMethod.status, 400);
});

test('a preflight is answered by the first rule that fits (T128)', async () => {
  await setProperties(corsOnly(rule('http://a.example', 'GET,PUT', 'x-ms-*,content-type'), rule('*', 'GET', 'accept')));
  const preflight = (headers) => send(server, 'OPTIONS', '/devstoreaccount1/Policies()', headers);
  const ask = (Origin, method, headers) => preflight({ Origin, 'Access-Control-Request-Method': method, ...(headers && { 'Access-Control-Request-Headers': headers }) });
  const hit = await ask('http://a.example', 'PUT', 'x-ms-date,Content-Type');
  assert.equal(hit.status, 200, hit.text);
  assert.equal(hit.headers['access-control-allow-origin'], 'http://a.example');
  assert.equal(hit.headers['access-control-allow-methods'], 'PUT');
  assert.equal(hit.headers['access-control-allow-headers'], 'x-ms-date,Content-Type');
  assert.equal(hit.headers['access-control-max-age'], '60');
  assert.equal(hit.headers['access-control-allow-credentials'], 'true');
  assert.equal((await ask('http://b.example', 'GET')).headers['access-control-allow-origin'], '*');
  for (const miss of [['http://b.example', 'PUT'], ['http://A.example', 'PUT'], ['http://a.example', 'DELETE'], ['http://a.example', 'PUT', 'x-other']]) {
    assertRefused(await ask(...miss), 403, 'CorsPreflightFailure', miss.join());
  }
  assertRefused(await preflight({ Origin: 'http://a.example' }), 400, 'InvalidHeaderValue');
  assertRefused(await preflight({ 'Access-Control-Request-Method': 'GET' }), 400, 'InvalidHeaderValue');
});

test('replies to other origins carry the headers of their rule', async () => {
  await setProperties(corsOnly(rule('http://a.example', 'GET')));
  const reply = await call(server, 'GET', '/Policies()', { headers: { Origin: 'http://a.example' } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['access-control-allow-origin'], 'http://a.example');
  assert.equal(reply.headers.vary, 'Origin');
  assert.match(reply.headers['access-control-expose-headers'], /x-ms-request-id/);
  const other = await call(server, 'GET', '/Policies()', { headers: { Origin: 'http://b.example' } });
  assert.equal(other.status, 200);
  assert.equal(other.headers['access-control-allow-origin'], undefined);
  assert.equal((await call(server, 'GET', '/Policies()')).headers.vary, 'Origin');
  await setProperties(corsOnly());
  assert.equal((await call(server, 'GET', '/Policies()')).headers.vary, undefined);
});

test('statistics are answered by the primary and the secondary (T129)', async () => {
  const statistics = await server.service().getStatistics();
  assert.equal(statistics.geoReplication.status, 'live');
  assert.ok(Date.now() - statistics.geoReplication.lastSyncTime < hour);
  const secondary = await call(server, 'GET', '/?restype=service&comp=stats', { prefix: `/${development.name}-secondary` });
  assert.equal(secondary.status, 200);
});

// A partition that takes 20 entities a second: eight come within a moment, and the client knows what to do.
test('a client that is over the rate of a partition waits and succeeds', async () => {
  const slow = await Server.start({ options: ['--partition-rate', '20'] });
  try {
    const client = await slow.newTable('Slow');
    let refused = 0;
    const count = { name: 'count', sendRequest: async (outgoing, next) => next(outgoing).then((reply) => ((refused += reply.status === 503), reply)) };
    client.pipeline.addPolicy(count, { afterPhase: 'Retry' });
    await Promise.all(Array.from({ length: 8 }, (_, i) => client.createEntity({ partitionKey: 'p', rowKey: `${i}`, n: i })));
    const found = [];
    for await (const entity of client.listEntities()) found.push(entity.n);
    assert.deepEqual(found, Array.from({ length: 8 }, (_, i) => i));
    assert.ok(refused > 0, 'nothing was refused');
  } finally {
    await slow.stop();
  }
});

// The answer is the one that the service gives when its queues are full; here it comes from a stand-in, as often as wanted.
test('a client that is told to come back later waits and succeeds (T130)', async () => {
  const busy = '{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"The server is currently unable to receive requests. Please retry your request."}}}';
  let refusals = 2;
  const asked = [];
  const front = createHttpServer((incoming, outgoing) => {
    asked.push(Date.now());
    if (refusals-- > 0) {
      incoming.resume();
      outgoing.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json;odata=minimalmetadata' }).end(busy);
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: server.port, method, path: url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise((resolve) => front.listen(0, '127.0.0.1', resolve));
  try {
    await server.newTable('Retried');
    const client = new TableClient(`http://127.0.0.1:${front.address().port}/${development.name}`, 'Retried', new AzureNamedKeyCredential(development.name, development.key), {
      allowInsecureConnection: true,
    });
    await client.createEntity({ partitionKey: 'p', rowKey: 'r', n: 1 });
    assert.equal((await server.table('Retried').getEntity('p', 'r')).n, 1);
    assert.equal(asked.length, 3);
    assert.ok(asked[1] - asked[0] >= 900, `it waited ${asked[1] - asked[0]} ms`);
  } finally {
    front.closeAllConnections();
    front.close();
  }
});

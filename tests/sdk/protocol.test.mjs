// What no client library sends, and what other clients send differently.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { assertRefused } from './lib/expect.mjs';
import { development, Server } from './lib/server.mjs';
import { authorization, call, exchange, hmac, minimal, send } from './lib/wire.mjs';

const second = { name: 'second', key: Buffer.from('first key').toString('base64'), key2: Buffer.from('second key').toString('base64') };

let server;
before(async () => {
  server = await Server.start({ accounts: [second] });
  await server.newTable('Wire');
});
after(() => server.stop());

const minutesAgo = (minutes) => new Date(Date.now() - minutes * 60_000).toUTCString();

test('path style and host style lead to the same account (T1)', async () => {
  assert.equal((await call(server, 'GET', "/Tables('Wire')")).status, 200);
  const hostStyle = await call(server, 'GET', "/Tables('Wire')", { prefix: '', headers: { Host: `devstoreaccount1.table.example.com:${server.port}` } });
  assert.equal(hostStyle.status, 200, hostStyle.text);
  assert.equal(hostStyle.json['odata.metadata'], `http://devstoreaccount1.table.example.com:${server.port}/$metadata#Tables/@Element`);
});

test('the secondary reads and does not write (T2)', async () => {
  const prefix = `/${development.name}-secondary`;
  assert.equal((await call(server, 'GET', '/Wire()', { prefix })).status, 200);
  assertRefused(await call(server, 'PUT', "/Wire(PartitionKey='p',RowKey='r')", { prefix, body: '{}' }), 403, 'InsufficientAccountPermissions');
});

test('an unknown account is not found (T3)', async () => {
  const reply = await call(server, 'GET', '/Tables', { account: { ...development, name: 'nobody' } });
  assertRefused(reply, 404, 'ResourceNotFound');
});

test('accounts do not see each other', async () => {
  await server.service(second).createTable('Mine');
  assertRefused(await call(server, 'GET', "/Tables('Mine')"), 404, 'ResourceNotFound');
  assertRefused(await call(server, 'GET', "/Tables('Wire')", { account: second }), 404, 'ResourceNotFound');
  const foreign = await call(server, 'GET', '/Tables', { prefix: `/${second.name}` });
  assertRefused(foreign, 403, 'AuthenticationFailed');
});

test('Python signs with SharedKey and sends two dates (T116)', async () => {
  const headers = { 'x-ms-date': new Date().toUTCString(), Date: minutesAgo(60), 'Content-Type': 'application/json;odata=nometadata' };
  const body = '{"PartitionKey":"py","PartitionKey@odata.type":"Edm.String","RowKey":"1","n":"5","n@odata.type":"Edm.Int64"}';
  const reply = await call(server, 'POST', '/Wire', { scheme: 'SharedKey', body, headers });
  assert.equal(reply.status, 201, reply.text);
  assert.equal((await call(server, 'GET', "/Wire()?$filter=PartitionKey%20eq%20'py'", { scheme: 'SharedKey' })).json.value.length, 1);
  assert.equal((await call(server, 'GET', '/Tables', { scheme: 'SharedKey', headers: { 'x-ms-date': undefined, Date: new Date().toUTCString() } })).status, 200);
});

test('.NET asks by $format and escapes quotes (T11)', async () => {
  const format = '$format=application%2Fjson%3Bodata%3Dminimalmetadata';
  const created = await call(server, 'POST', `/Wire?${format}`, {
    body: '{"odata.etag":"W/\\"x\\"","PartitionKey":"it\'s","RowKey":"1","Timestamp":null,"at":"2026-11-16T01:02:03.1234567Z","at@odata.type":"Edm.DateTime"}',
    headers: { Prefer: 'return-no-content', Accept: 'application/json', DataServiceVersion: '3.0', 'x-ms-version': '2020-12-06' },
  });
  assert.equal(created.status, 204, created.text);
  const read = await call(server, 'GET', `/Wire(PartitionKey='it%27%27s',RowKey='1')?${format}`, { headers: { Accept: undefined, 'x-ms-return-client-request-id': 'true', 'x-ms-client-request-id': 'abc' } });
  assert.equal(read.json.at, '2026-11-16T01:02:03.1234567Z');
  assert.equal(read.headers['x-ms-client-request-id'], 'abc');
});

test('a chunked body is a body', async () => {
  const target = `/${development.name}/Wire`;
  const headers = { 'x-ms-date': new Date().toUTCString(), 'Content-Type': 'application/json', Accept: minimal, 'Transfer-Encoding': 'chunked' };
  headers.Authorization = authorization('SharedKeyLite', { method: 'POST', target, headers });
  assert.equal((await send(server, 'POST', target, headers, '{"PartitionKey":"chunked","RowKey":"1"}')).status, 201);
});

test('the second key of an account signs as well, a stale date does not (T117)', async () => {
  assert.equal((await call(server, 'GET', '/Tables', { account: { ...second, key: second.key2 } })).status, 200);
  assert.equal((await call(server, 'GET', '/Tables', { headers: { 'x-ms-date': minutesAgo(14) } })).status, 200);
  for (const date of [minutesAgo(16), minutesAgo(-16), 'yesterday', '']) {
    assertRefused(await call(server, 'GET', '/Tables', { headers: { 'x-ms-date': date } }), 403, 'AuthenticationFailed', date);
  }
});

test('forged signatures are refused, in the format of the client (T118)', async () => {
  const date = new Date().toUTCString();
  const right = hmac(`${date}\n/devstoreaccount1/devstoreaccount1/Tables`);
  const headers = [
    `SharedKeyLite devstoreaccount1:${hmac('something else')}`,
    `SharedKeyLite devstoreaccount1:${right.slice(0, -4)}`,
    `SharedKeyLite devstoreaccount1:${right}AAAA`,
    `SharedKeyLite second:${right}`,
    `SharedKey devstoreaccount1:${right}`,
    `SharedKeyLite devstoreaccount1:${right.toLowerCase()}`,
  ];
  for (const Authorization of headers) {
    const reply = await call(server, 'GET', '/Tables', { headers: { Authorization, 'x-ms-date': date } });
    assertRefused(reply, 403, 'AuthenticationFailed', Authorization);
    assert.match(reply.headers['content-type'], /^application\/json/);
  }
  for (const Authorization of ['Bearer abc', 'SharedKeyLite devstoreaccount1:', 'SharedKeyLite', 'SharedKeyLite devstoreaccount1', 'nonsense', 'SharedKeyLite :', ' ']) {
    const reply = await call(server, 'GET', '/Tables', { headers: { Authorization, 'x-ms-date': date } });
    assert.ok([400, 401, 403].includes(reply.status), `${Authorization} ${reply.status}`);
  }
  const xml = await call(server, 'GET', '/Tables', { headers: { Authorization: headers[0], 'x-ms-date': date, Accept: '*/*' } });
  assert.equal(xml.status, 403);
  assert.match(xml.headers['content-type'], /^application\/xml/);
  assert.match(xml.text, /^<\?xml [^>]*><m:error .*<m:code>AuthenticationFailed<\/m:code>/);
  assert.equal((await send(server, 'GET', '/devstoreaccount1/Tables', { Accept: minimal })).status, 403);
});

test('a signature is for its own path only', async () => {
  const date = new Date().toUTCString();
  const Authorization = `SharedKeyLite devstoreaccount1:${hmac(`${date}\n/devstoreaccount1/devstoreaccount1/Wire()`)}`;
  const at = (target) => send(server, 'GET', target, { 'x-ms-date': date, Authorization, Accept: minimal });
  assert.equal((await at('/devstoreaccount1/Wire()')).status, 200);
  assert.equal((await at('/devstoreaccount1/Wire()?$top=1')).status, 200);
  for (const target of ['/devstoreaccount1/Wire', '/devstoreaccount1/Tables', '/devstoreaccount1/%57ire()', '/devstoreaccount1/Wire()?comp=acl']) {
    assert.equal((await at(target)).status, 403, target);
  }
});

test('tricks with paths lead nowhere', async () => {
  for (const path of ['/../etc/passwd', '/..%2f..%2fetc', '/Wire/..', '/Wire/x', '//Wire', '/%00', '/Wire%00', '/%2e%2e', '/Wi%72e%2fx', '/%', '/%zz', '/%ff', "/Tables('..')", "/Tables('%00')", "/Tables('a/b')", '/$metadata', '/$nonsense', `/${'a'.repeat(9000)}`]) {
    const reply = await call(server, 'GET', path);
    assert.ok(reply.status >= 400 && reply.status < 600 && reply.status !== 500, `${path} ${reply.status}`);
    assert.ok(reply.code, `${path} ${reply.text}`);
  }
  assert.equal((await call(server, 'GET', '/%57ire()')).status, 200);
});

test('verbs nobody knows are 405 with Allow', async () => {
  for (const [method, path] of [['HEAD', '/Wire()'], ['BREW', '/Wire()'], ['PUT', '/Tables'], ['DELETE', '/Wire()'], ['GET', '/$batch'], ['PATCH', "/Tables('Wire')"], ['TRACE', '/Wire()']]) {
    const reply = await call(server, method, path, { headers: method === 'PUT' || method === 'PATCH' ? { 'Content-Length': '0' } : {} });
    assert.equal(reply.status, 405, `${method} ${path}`);
    assert.ok(reply.headers.allow, `${method} ${path}`);
  }
});

test('errors of the URL and the headers have the form of what was asked for', async () => {
  const bad = { headers: { 'x-ms-version': 'tomorrow' } };
  const asked = [
    ['GET', "/Wire(PartitionKey='a%2Fb',RowKey='r')", {}, 'json'],
    ['GET', "/Wire(PartitionKey='a%5Cb',RowKey='r')", {}, 'json'],
    ['GET', '/Wire/x', {}, 'json'],
    ['GET', '/%zz', {}, 'json'],
    ['BREW', '/Wire()', {}, 'json'],
    ['GET', '/Wire()?timeout=0', {}, 'json'],
    ['GET', '/Wire()', bad, 'json'],
    ['GET', '/Tables', { account: { ...development, name: 'nobody' } }, 'json'],
    ['BREW', '/Wire?comp=acl', {}, 'xml'],
    ['GET', '/Wire?comp=acl&timeout=0', {}, 'xml'],
    ['GET', '/?restype=service&comp=properties', bad, 'xml'],
  ];
  for (const [method, path, options, form] of asked) {
    const reply = await call(server, method, path, options);
    assert.ok(reply.status >= 400 && reply.status < 500, `${method} ${path} ${reply.status}`);
    assert.match(reply.headers['content-type'], new RegExp(`^application/${form}`), `${method} ${path} ${reply.text}`);
    assert.match(reply.text, form === 'json' ? /^\{"odata\.error":/ : /^<\?xml/, `${method} ${path}`);
  }
});

test('a refusal reaches who has sent a large body', async () => {
  const body = JSON.stringify({ PartitionKey: 'large', RowKey: '1', text: 'x'.repeat(3_000_000) });
  assertRefused(await call(server, 'POST', '/Missing', { body }), 404, 'TableNotFound');
  const headers = { Authorization: `SharedKeyLite devstoreaccount1:${hmac('something else')}` };
  assertRefused(await call(server, 'POST', '/Wire', { body, headers }), 403, 'AuthenticationFailed');
});

test('a body that drips has no more time than its request', async () => {
  const target = `/${development.name}/Wire?timeout=1`;
  const headers = { 'x-ms-date': new Date().toUTCString(), 'Content-Type': 'application/json', Accept: minimal };
  headers.Authorization = authorization('SharedKeyLite', { method: 'POST', target, headers });
  const bytes = 1500;
  const socket = connect(server.port, '127.0.0.1');
  const ended = new Promise((resolve) => socket.on('close', resolve));
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => (text += piece));
  socket.on('error', () => {}); // it is closed while bytes are on their way
  const fields = Object.entries({ Host: server.host, ...headers, 'Content-Length': bytes }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${target} HTTP/1.1\r\n${fields.join('')}\r\n`);
  let sent = 0;
  const drip = setInterval(() => (sent++ < bytes && !text ? socket.write('x') : socket.end()), 20);
  await ended;
  clearInterval(drip);
  assert.match(text, /^HTTP\/1\.1 500 [^]*"OperationTimedOut"/);
});

test('options that mean nothing are refused', async () => {
  for (const query of ['timeout=0', 'timeout=-1', 'timeout=x', 'timeout=']) assertRefused(await call(server, 'GET', `/Wire()?${query}`), 400, 'InvalidQueryParameterValue', query);
  assert.equal((await call(server, 'GET', '/Wire()?timeout=30')).status, 200);
  assert.equal((await call(server, 'GET', '/Wire()?timeout=9999')).status, 200);
  for (const path of ['/', '/?restype=service', '/?comp=properties', '/?restype=service&comp=nonsense', '/Wire?comp=nonsense']) {
    const reply = await call(server, 'GET', path);
    assert.ok(reply.status >= 400 && reply.status < 500, `${path} ${reply.status}`);
  }
});

test('the longest legal entity URL is served', async () => {
  const key = '%E2%82%AC'.repeat(512);
  const path = `/Wire(PartitionKey='${key}',RowKey='${key}')`;
  assert.equal((await call(server, 'PUT', path, { body: '{"a":1}' })).status, 204);
  assert.equal((await call(server, 'GET', path)).json.a, 1);
});

test('what is not HTTP is told so in JSON', async () => {
  const cases = {
    'GET\r\n\r\n': 400,
    'nonsense\r\n\r\n': 400,
    'GET / HTTP/9.9\r\nHost: x\r\n\r\n': 505,
    'GET / HTTP/1.1\r\n\r\n': 400,
    'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n': 400,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n': 400,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n': 400,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n': 400,
    [`GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(200000)}\r\n\r\n`]: 431,
    [`GET /${'a'.repeat(200000)} HTTP/1.1\r\nHost: x\r\n\r\n`]: 414,
    'GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n': 400,
  };
  for (const [bytes, status] of Object.entries(cases)) {
    const text = await exchange(server, bytes);
    const hint = `${JSON.stringify(bytes.slice(0, 60))}: ${text.slice(0, 300)}`;
    assert.match(text, new RegExp(`^HTTP/1\\.1 (${status}|400) `), hint);
    const [head, body] = text.split('\r\n\r\n');
    assert.match(head, /\r\nContent-Type: application\/json/i, hint);
    assert.match(head, /\r\nx-ms-request-id: [0-9a-f-]{36}/i, hint);
    assert.ok(JSON.parse(body)['odata.error'].code, hint);
  }
});

test('a body shorter or longer than it says does no harm', async () => {
  const target = '/devstoreaccount1/Wire';
  const headers = { 'x-ms-date': new Date().toUTCString(), 'Content-Type': 'application/json', Accept: minimal };
  headers.Authorization = authorization('SharedKeyLite', { method: 'POST', target, headers });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const body = '{"PartitionKey":"lying","RowKey":"1"}';
  const request = (length) => `POST ${target} HTTP/1.1\r\nHost: ${server.host}\r\n${lines}Content-Length: ${length}\r\n\r\n${body}`;
  const short = await exchange(server, request(body.length - 1), { until: 'odata.error' });
  assert.match(short, /^HTTP\/1\.1 400 /);
  // One byte never comes: the client gives up, and nothing was stored.
  await assert.rejects(exchange(server, request(body.length + 1), { secondsMax: 1 }));
  assertRefused(await call(server, 'GET', "/Wire(PartitionKey='lying',RowKey='1')"), 404, 'ResourceNotFound');
  assert.equal((await call(server, 'GET', '/Tables')).status, 200);
});

test('requests behind each other on one connection are answered in order', async () => {
  const date = new Date().toUTCString();
  const get = (path) => {
    const target = `/devstoreaccount1${path}`;
    const Authorization = authorization('SharedKeyLite', { method: 'GET', target, headers: { 'x-ms-date': date } });
    return `GET ${target} HTTP/1.1\r\nHost: ${server.host}\r\nx-ms-date: ${date}\r\nAccept: ${minimal}\r\nAuthorization: ${Authorization}\r\n`;
  };
  const text = await exchange(server, `${get("/Tables('Wire')")}\r\n${get("/Tables('Nope')")}\r\n${get("/Tables('Wire')")}Connection: close\r\n\r\n`);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
});

test('random bytes leave the server standing', async () => {
  const seed = Number(process.env.DOWNTICK_SEED ?? Date.now() % 1e9);
  let state = seed;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8;
  for (let i = 0; i < 40; ++i) {
    const bytes = Buffer.from(Array.from({ length: random() % 2000 }, () => random() & 0xff));
    await exchange(server, Buffer.concat([Buffer.from(i % 2 ? 'GET / HTTP/1.1\r\n' : ''), bytes]), { secondsMax: 0.2 }).catch(() => {});
  }
  assert.equal((await call(server, 'GET', '/Tables')).status, 200, `seed ${seed}`);
});

// With a certificate every port speaks TLS, those for lines too: they ask for no token, and what comes without TLS is not taken.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { writeCertificate } from './lib/certificate.mjs';
import { Server } from './lib/server.mjs';

const token = 's3cret';
const seconds = Math.floor(new Date('2026-11-15T12:34:56Z').getTime() / 1000);
const nanoseconds = (i = 0) => `${BigInt(seconds) * 1_000_000_000n + BigInt(i)}`;

let server;
let tls;
before(async () => {
  tls = writeCertificate();
  server = await Server.start({ listeners: ['http', 'line', 'json', 'graphite', 'syslog'], options: ['--token', token], tls });
});
after(async () => {
  await server.stop();
  tls.remove();
});

async function openSecure(port) {
  const socket = connect({ host: '127.0.0.1', port, ca: tls.certificate });
  await once(socket, 'secureConnect');
  assert.ok(socket.authorized);
  return socket.resume();
}

// Resolves when the server has closed its side, too: what was sent is durable then.
async function sendSecurely(port, bytes) {
  const socket = await openSecure(port);
  socket.end(bytes);
  await once(socket, 'close');
}

// Whatever the server does with it.
function sendPlain(port, bytes) {
  return new Promise((resolve) => {
    const socket = connectPlain(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(20_000, () => socket.destroy(new Error('it is still open')));
    let failure;
    socket.on('error', (error) => (failure = error)).on('close', () => resolve(failure)).resume();
  });
}

function call(path, { method = 'GET', body, withToken = true } = {}) {
  return new Promise((resolve, reject) => {
    const headers = withToken ? { Authorization: `Bearer ${token}` } : {};
    const outgoing = request({ host: '127.0.0.1', port: server.ports.http, path, method, headers, ca: tls.certificate, agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (piece) => (text += piece));
      reply.on('error', reject).on('end', () => resolve({ status: reply.statusCode, text }));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function rowsOf(table, partition) {
  const rows = [];
  for await (const row of server.table(table).listEntities({ queryOptions: { filter: `PartitionKey eq '${partition}'` } })) rows.push(row);
  return rows;
}

async function recordsOf(source) {
  const reply = await call(`/v1/tail?from=source:${source}&n=1000`);
  return reply.status === 200 ? JSON.parse(reply.text).rows : [];
}

test('lines are there when the connection has closed', async () => {
  await sendSecurely(server.ports.line, `secure,door=line v=1i ${nanoseconds()}\n`);
  await sendSecurely(server.ports.graphite, `secure;door=graphite 2 ${seconds}\n`);
  await sendSecurely(server.ports.json, `${JSON.stringify({ family: 'secure', time: seconds, tags: { door: 'json' }, fields: { v: 3 } })}\n`);
  assert.equal((await rowsOf('secure20261115', 'door=line'))[0].v, 1n);
  assert.equal((await rowsOf('secure20261115', 'door=graphite'))[0].value, 2);
  assert.equal((await rowsOf('secure20261115', 'door=json'))[0].v, 3n);
});

test('records of syslog and of JSON lines likewise', async () => {
  const message = '<165>1 2026-11-15T12:34:56Z web1 secure-app 4711 - - disk is full';
  await sendSecurely(server.ports.syslog, `${Buffer.byteLength(message)} ${message}<34>Nov 15 12:34:56 web1 secure-app: an old one\n`);
  await sendSecurely(server.ports.json, `${JSON.stringify({ source: 'secure-json', time: seconds, level: 'warn', message: 'by JSON' })}\n`);
  const records = await recordsOf('secure-app');
  assert.deepEqual(records.map((r) => r.message).sort(), ['an old one', 'disk is full']);
  assert.deepEqual((await recordsOf('secure-json')).map((r) => r.message), ['by JSON']);
});

test('much of it arrives whole', async () => {
  const count = 20_000;
  const lines = Array.from({ length: count }, (_, i) => `bulk,host=a v=${i}i,text="${'x'.repeat(i % 200)}" ${nanoseconds(i)}\n`);
  await sendSecurely(server.ports.line, lines.join(''));
  const reply = await call('/v1/range?from=family:bulk&agg=count(v),sum(v)');
  const [{ fields }] = JSON.parse(reply.text).rows;
  assert.deepEqual(fields, { 'count(v)': count, 'sum(v)': (count * (count - 1)) / 2 });
});

test('what comes without TLS is not taken, and disturbs nobody', { timeout: 60_000 }, async () => {
  const secure = await openSecure(server.ports.line);
  secure.write(`beside,host=a v=1i ${nanoseconds(1)}\n`);
  for (let i = 0; i < 20; ++i) {
    assert.notEqual((await sendPlain(server.ports.line, `plain,host=a v=${i}i ${nanoseconds(i)}\n`))?.message, 'it is still open');
  }
  await sendPlain(server.ports.syslog, '<165>1 2026-11-15T12:34:56Z web1 plain-app 4711 - - in the clear\n');
  await sendPlain(server.ports.json, `${JSON.stringify({ family: 'plain', fields: { v: 1 } })}\n`);
  await sendPlain(server.ports.graphite, 'plain.path 1\n');
  await sendPlain(server.ports.http, `POST /write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9\r\n\r\nplain v=1`);
  // One that says nothing, and one that stops in the middle of its greeting.
  const silent = connectPlain(server.ports.line, '127.0.0.1').on('error', () => {});
  const slow = connectPlain(server.ports.line, '127.0.0.1', () => slow.write(Buffer.from('16030100c8010000', 'hex'))).on('error', () => {});
  await once(slow, 'connect');
  secure.end(`beside,host=a v=2i ${nanoseconds(2)}\n`);
  await once(secure, 'close');
  await sendSecurely(server.ports.line, `beside,host=a v=3i ${nanoseconds(3)}\n`);
  silent.destroy();
  slow.destroy();
  assert.deepEqual((await rowsOf('beside20261115', 'host=a')).map((row) => row.v), [3n, 2n, 1n]);
  const families = JSON.parse((await call('/v1/families')).text).families.map((f) => f.name);
  assert.ok(families.includes('beside'), families.join());
  assert.deepEqual(families.filter((name) => /plain|graphite/.test(name)), []);
  assert.deepEqual(await recordsOf('plain-app'), []);
});

test('connections that failed are given back', { timeout: 60_000 }, async () => {
  const open = async () => {
    const { text } = await call('/metrics');
    return [...text.matchAll(/^downtick_ingest_connections_open\{protocol="line"[^}]*\} (\d+)/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
  };
  while ((await open()) > 0) await delay(50);
});

test('the TCP ports ask for no token, HTTP does', async () => {
  assert.equal((await call('/v1/families', { withToken: false })).status, 401);
  assert.equal((await call('/write', { method: 'POST', body: 'tokenless v=1', withToken: false })).status, 401);
  assert.equal((await call('/write', { method: 'POST', body: `withtoken v=1i ${nanoseconds()}` })).status, 204);
  assert.equal((await rowsOf('withtoken20261115', ''))[0].v, 1n);
  assert.equal((await call('/v1/tail?from=family:tokenless')).status, 404);
});

test('what came over TLS is there after a kill', async () => {
  await sendSecurely(server.ports.line, `kept,host=a v=1i ${nanoseconds()}\n`);
  await server.restart('SIGKILL');
  assert.equal((await rowsOf('kept20261115', 'host=a'))[0].v, 1n);
});

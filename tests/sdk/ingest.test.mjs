// InfluxDB's own clients write, the Azure client reads.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { InfluxDB, Point } from '@influxdata/influxdb-client';
import { FieldType, InfluxDB as InfluxDB1 } from 'influx';
import { Server } from './lib/server.mjs';

let server;
before(async () => (server = await Server.start({ listeners: ['http', 'line', 'graphite', 'json'] })));
after(() => server.stop());

const time = new Date('2026-11-15T12:34:56.789Z');

async function newest(table, partition, count = 10) {
  const pages = server.table(table).listEntities({ queryOptions: { filter: `PartitionKey eq '${partition}'` } }).byPage({ maxPageSize: count });
  return (await pages.next()).value;
}

function send(port, bytes) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', reject).on('close', resolve).resume();
  });
}

test('the client of InfluxDB 2 writes points of every type', async () => {
  const client = new InfluxDB({ url: `http://127.0.0.1:${server.ports.http}`, token: 'any' });
  const writer = client.getWriteApi('org', 'bucket', 'ns', { gzipThreshold: 1 });
  for (let i = 0; i < 100; ++i) {
    const at = BigInt(time.getTime()) * 1_000_000n + BigInt(i);
    writer.writePoint(
      new Point('weather')
        .tag('city', 'Wien')
        .tag('path', '/var/log')
        .floatField('temperature', i / 4)
        .intField('count', i)
        .booleanField('rain', i % 2 === 0)
        .stringField('note', `"${i}",\n ü`)
        .timestamp(at.toString()),
    );
  }
  await writer.close();
  const rows = await newest('weather20261115', 'city=Wien,path=%2Fvar%2Flog');
  assert.equal(rows.length, 10);
  assert.equal(rows[0].temperature, 99 / 4);
  assert.equal(rows[0].count, 99n);
  assert.equal(rows[0].rain, false);
  assert.equal(rows[0].note, '"99",\n ü');
  assert.deepEqual(rows.map((row) => row.count), [99n, 98n, 97n, 96n, 95n, 94n, 93n, 92n, 91n, 90n]);
});

test('the client of InfluxDB 2 learns which line was bad', async () => {
  const client = new InfluxDB({ url: `http://127.0.0.1:${server.ports.http}`, token: 'any' });
  const failures = [];
  const writer = client.getWriteApi('org', 'bucket', 'ns', { maxRetries: 0, writeFailed: (error) => void failures.push(error) });
  writer.writeRecords(['good v=1', 'bad line', 'good v=2 5']);
  await writer.close().catch(() => {});
  assert.equal(failures.length, 1);
  assert.equal(failures[0].statusCode, 400);
  assert.match(failures[0].message, /line 2: /);
  assert.equal((await newest('good19700101', '')).length, 1);
});

test('the client of InfluxDB 1 finds its database and writes', async () => {
  const client = new InfluxDB1({
    host: '127.0.0.1',
    port: server.ports.http,
    database: 'downtick',
    username: 'u',
    password: 'p',
    schema: [{ measurement: 'cpu', fields: { user: FieldType.FLOAT, cores: FieldType.INTEGER }, tags: ['host'] }],
  });
  const hosts = await client.ping(2000);
  assert.ok(hosts[0].online);
  await client.createDatabase('telegraf');
  assert.ok((await client.getDatabaseNames()).includes('downtick'));
  await client.writePoints([{ measurement: 'cpu', tags: { host: 'a' }, fields: { user: 12.5, cores: 8 }, timestamp: time }]);
  const [row] = await newest('cpu20261115', 'host=a');
  assert.equal(row.user, 12.5);
  assert.equal(row.cores, 8n);
});

test('lines over TCP are there when the connection has closed', async () => {
  const seconds = Math.floor(time.getTime() / 1000);
  await send(server.ports.line, `mem,host=a used=5i ${seconds}000000000\n`);
  await send(server.ports.graphite, `servers.a.load 1.5 ${seconds}\n`);
  await send(server.ports.json, `${JSON.stringify({ family: 'mem', time: seconds, tags: { host: 'b' }, fields: { used: 6 } })}\n`);
  assert.equal((await newest('mem20261115', 'host=a'))[0].used, 5n);
  assert.equal((await newest('mem20261115', 'host=b'))[0].used, 6n);
  assert.equal((await newest('graphite20261115', 'path=servers.a.load'))[0].value, 1.5);
});

test('what was written is there after a kill', async () => {
  const client = new InfluxDB({ url: `http://127.0.0.1:${server.ports.http}`, token: 'any' });
  const writer = client.getWriteApi('org', 'bucket', 's');
  writer.writeRecord(`kept v=1i ${Math.floor(time.getTime() / 1000)}`);
  await writer.close();
  await server.restart('SIGKILL');
  assert.equal((await newest('kept20261115', ''))[0].v, 1n);
});

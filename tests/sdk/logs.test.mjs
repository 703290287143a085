// Logs through the official Blob client: what was sent over HTTP is listed by prefix and downloaded byte for byte.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import {
  BlobServiceClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { development, Server } from './lib/server.mjs';

const credential = new StorageSharedKeyCredential(development.name, development.key);
const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} of the web server, status ${200 + (i % 5)}`);

let server;
let service;
let logs;
const urlOf = () => `http://127.0.0.1:${server.ports.blob}/${development.name}`;
const post = (source, body) =>
  fetch(`http://127.0.0.1:${server.ports.http}/v1/logs/${source}`, { method: 'POST', body, headers: { 'Content-Type': 'text/plain' } });

before(async () => {
  server = await Server.start({ listeners: ['http', 'blob'] });
  assert.equal((await post('web', lines.join('\n') + '\n')).status, 204);
  assert.equal((await post('web%2Fadmin', 'one\n')).status, 204);
  await server.restart(); // what is replayed is sealed
  service = new BlobServiceClient(urlOf(), credential);
  logs = service.getContainerClient('logs');
  for (let i = 0; i < 200 && (await namesOf({})).length < 2; ++i);
});
after(() => server.stop());

async function namesOf(options) {
  const names = [];
  for await (const b of logs.listBlobsFlat(options)) names.push(b.name);
  return names;
}

test('containers and blobs are listed, by prefix and page by page', async () => {
  const containers = [];
  for await (const c of service.listContainers()) containers.push(c.name);
  assert.deepEqual(containers, ['logs']);
  const names = await namesOf({});
  assert.equal(names.length, 2);
  assert.match(names[0], /^web%2Fadmin\/\d{4}\/\d\d\/\d\d\/\d\d00\/\d{6,}\.log$/);
  assert.deepEqual(await namesOf({ prefix: 'web/' }), [names[1]]);
  const pages = [];
  for await (const page of logs.listBlobsFlat().byPage({ maxPageSize: 1 })) pages.push(...page.segment.blobItems.map((b) => b.name));
  assert.deepEqual(pages, names);
  for (const maxresults of ['0', 'many', '1x']) {
    const sas = generateBlobSASQueryParameters(
      { containerName: 'logs', permissions: ContainerSASPermissions.parse('l'), expiresOn: new Date('2099-01-01T00:00:00Z') },
      credential,
    );
    const refused = await fetch(`${urlOf()}/logs?restype=container&comp=list&maxresults=${maxresults}&${sas}`);
    assert.equal(refused.headers.get('x-ms-error-code'), 'InvalidQueryParameterValue', maxresults);
  }
});

test('a delimiter gives folders', async () => {
  const folders = [];
  for await (const item of logs.listBlobsByHierarchy('/')) folders.push(item.kind === 'prefix' ? item.name : `blob ${item.name}`);
  assert.deepEqual(folders, ['web%2Fadmin/', 'web/']);
});

test('a delimiter is looked for in more blobs than one step has', async () => {
  const many = await Server.start({ listeners: ['http', 'blob'] });
  try {
    const sources = Array.from({ length: 150 }, (_, i) => `s${String(i).padStart(3, '0')}`);
    for (const source of sources) {
      const sent = await fetch(`http://127.0.0.1:${many.ports.http}/v1/logs/${source}`, { method: 'POST', body: 'x\n', headers: { 'Content-Type': 'text/plain' } });
      assert.equal(sent.status, 204);
    }
    await many.restart(); // what is replayed is sealed
    const container = new BlobServiceClient(`http://127.0.0.1:${many.ports.blob}/${development.name}`, credential).getContainerClient('logs');
    const list = async (delimiter, maxPageSize) => {
      const items = [];
      for await (const page of container.listBlobsByHierarchy(delimiter).byPage({ maxPageSize })) {
        items.push(...(page.segment.blobPrefixes ?? []), ...page.segment.blobItems);
      }
      return items.map((item) => item.name.split('/')[0]);
    };
    for (let i = 0; i < 200 && (await list('#')).length < sources.length; ++i);
    for (const size of [1000, 64, 63, 7]) {
      assert.deepEqual(await list('/', size), sources, `folders, ${size} a page`);
      assert.deepEqual(await list('#', size), sources, `no folders, ${size} a page`);
    }
  } finally {
    await many.stop();
  }
});

test('a blob is its lines, whole and in ranges, with properties and metadata', async () => {
  const [name] = await namesOf({ prefix: 'web/' });
  const client = logs.getBlobClient(name);
  const whole = lines.join('\n') + '\n';
  assert.equal((await client.downloadToBuffer()).toString(), whole);
  assert.equal((await client.downloadToBuffer(1000, 500)).toString(), whole.slice(1000, 1500));
  const properties = await client.getProperties();
  assert.equal(properties.contentLength, whole.length);
  assert.equal(properties.metadata.records, '2000');
  assert.ok(await client.exists());
  assert.equal(await logs.getBlobClient('web/none').exists(), false);
});

test('a download may insist on one version of a blob', async () => {
  const [name] = await namesOf({ prefix: 'web/' });
  const client = logs.getBlobClient(name);
  const { etag } = await client.getProperties();
  const read = async (conditions) => (await client.downloadToBuffer(0, 10, { conditions })).toString();
  assert.equal(await read({ ifMatch: etag }), lines[0].slice(0, 10));
  assert.equal(await read({ ifNoneMatch: '"0x0"' }), lines[0].slice(0, 10));
  await assert.rejects(read({ ifMatch: '"0x0"' }), { statusCode: 412, code: 'ConditionNotMet' });
  await assert.rejects(read({ ifNoneMatch: etag }), { statusCode: 304 });
});

test('a name with a percent sign is found under it', async () => {
  const [name] = await namesOf({ prefix: 'web%2Fadmin/' });
  assert.equal((await logs.getBlobClient(name).downloadToBuffer()).toString(), 'one\n');
});

// Over a plain client: the answer must come as it is.
const download = (url, headers) =>
  new Promise((resolve, reject) => {
    get(url, { headers }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => resolve({ headers: reply.headers, body: Buffer.concat(pieces) }));
      reply.on('error', reject);
    }).on('error', reject);
  });

test('a blob comes as zstd to who asks for it, and only then', async (t) => {
  const [name] = await namesOf({ prefix: 'web/' });
  const sas = generateBlobSASQueryParameters(
    { containerName: 'logs', permissions: ContainerSASPermissions.parse('r'), expiresOn: new Date(Date.now() + 3600_000) },
    credential,
  ).toString();
  const url = `${urlOf()}/logs/${name}?${sas}`;
  const whole = lines.join('\n') + '\n';
  const encoded = await download(url, { 'Accept-Encoding': 'gzip, ZSTD;q=0.5' });
  assert.equal(encoded.headers['content-encoding'], 'zstd');
  assert.equal(encoded.headers['x-ms-blob-content-length'], `${whole.length}`);
  assert.ok(encoded.body.length * 5 < whole.length);
  for (const accepted of ['gzip, deflate', 'zstd;q=0', '*', '']) {
    const plain = await download(url, { 'Accept-Encoding': accepted });
    assert.equal(plain.headers['content-encoding'], undefined, accepted);
    assert.equal(plain.body.toString(), whole, accepted);
  }
  const part = await download(url, { 'Accept-Encoding': 'zstd', Range: 'bytes=5-9' });
  assert.equal(part.headers['content-encoding'], undefined, 'a range is of the text');
  assert.equal(part.body.toString(), whole.slice(5, 10));
  const unpacked = spawnSync('zstd', ['-dc'], { input: encoded.body });
  if (unpacked.error) return t.diagnostic('zstd is not on this machine: what came was not unpacked');
  assert.equal(unpacked.stdout.toString(), whole);
});

test('records come in as an array of JSON, too', async () => {
  const send = (body) =>
    fetch(`http://127.0.0.1:${server.ports.http}/v1/logs/shop`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
  const messages = ['paid', 'sent ]}, "so"', 'returned'];
  assert.equal((await send(JSON.stringify(messages.map((message, i) => ({ message, time: 1790000000 + i, level: 6 })), null, 1))).status, 204);
  const mixed = await send('[{"message":"good"}, 5]');
  assert.equal(mixed.status, 400);
  assert.match(await mixed.text(), /"line":\s*2/);
  const found = await (await fetch(`http://127.0.0.1:${server.ports.http}/v1/tail?from=source:shop&n=10`)).text();
  for (const message of [...messages, 'good']) assert.ok(found.includes(JSON.stringify(message).slice(1, -1)), `${message} in ${found}`);
});

test('an object over several lines is a record, of the source in the URL', async () => {
  const url = `http://127.0.0.1:${server.ports.http}`;
  const record = { source: 'elsewhere', message: 'pretty', level: 'info', nested: { n: 1 } };
  const sent = await fetch(`${url}/v1/logs/pretty`, {
    method: 'POST', body: JSON.stringify(record, null, 2), headers: { 'Content-Type': 'application/json' },
  });
  assert.equal(sent.status, 204, await sent.text());
  const [row] = (await (await fetch(`${url}/v1/tail?from=source:pretty`)).json()).rows;
  assert.deepEqual([row.message, row.fields], ['pretty', { 'nested.n': 1, source: 'elsewhere' }]);
});

test('a record from the future is of the time of receipt and keeps what it said', async () => {
  const url = `http://127.0.0.1:${server.ports.http}`;
  const body = JSON.stringify({ time: '2199-01-01T00:00:00Z', message: 'early' });
  assert.equal((await fetch(`${url}/v1/logs/future`, { method: 'POST', body, headers: { 'Content-Type': 'application/x-ndjson' } })).status, 204);
  const [row] = (await (await fetch(`${url}/v1/tail?from=source:future`)).json()).rows;
  assert.ok(Math.abs(Date.parse(row.time) - Date.now()) < 60_000, row.time);
  assert.deepEqual(row.fields, { sent_time: '2199-01-01T00:00:00Z' });
  assert.match(await (await fetch(`${url}/metrics`)).text(), /ingest_records_ahead_total\{[^}]*\} [1-9]/);
});

test('a shared access signature opens the container, for what it names', async () => {
  const sas = (permissions) =>
    generateBlobSASQueryParameters(
      { containerName: 'logs', permissions: ContainerSASPermissions.parse(permissions), expiresOn: new Date(Date.now() + 3600_000) },
      credential,
    ).toString();
  const [name] = await namesOf({ prefix: 'web/' });
  const open = new BlobServiceClient(`${urlOf()}?${sas('rl')}`).getContainerClient('logs');
  assert.ok((await open.getBlobClient(name).downloadToBuffer()).length > 0);
  for await (const b of open.listBlobsFlat()) assert.ok(b.name);
  const [listing, ...reading] = await Promise.all(
    ['logs?restype=container&comp=list', `logs/${name}?comp=list`, `logs/${name}`].map(async (path) =>
      (await fetch(`${urlOf()}/${path}${path.includes('?') ? '&' : '?'}${sas('l')}`)).status,
    ),
  );
  assert.deepEqual([listing, reading], [200, [403, 403]], 'who may list may not read');
  const onlyRead = new BlobServiceClient(`${urlOf()}?${sas('r')}`).getContainerClient('logs');
  await assert.rejects(onlyRead.listBlobsFlat().next(), { statusCode: 403 });
});

test('writes are refused with a sentence, strangers altogether', async () => {
  await assert.rejects(logs.getBlockBlobClient('x').upload('y', 1), (e) => e.statusCode === 403 && /read side/.test(e.message));
  const stranger = new BlobServiceClient(urlOf(), new StorageSharedKeyCredential(development.name, Buffer.from('no').toString('base64')));
  await assert.rejects(stranger.getContainerClient('logs').listBlobsFlat().next(), { statusCode: 403 });
});

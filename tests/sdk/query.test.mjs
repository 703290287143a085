// The native API from outside: points in by line protocol, questions and answers in every format; the Arrow stream is read by an
// implementation that is not ours.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { Server } from './lib/server.mjs';

let server;
let base;
const now = Math.floor(Date.now() / 1000);

before(async () => {
  server = await Server.start({ listeners: ['http'] });
  base = `http://127.0.0.1:${server.ports.http}`;
  const lines = [];
  for (let i = 0; i < 5000; ++i) {
    lines.push(`cpu,host=h${i % 4} usage=${i / 10},n=${i}i,note="row ${i}",ok=${i % 2 === 0} ${now - 5000 + i}`);
  }
  lines.push(`mixed v=1i ${now - 2}`, `mixed v="one" ${now - 1}`);
  const written = await fetch(`${base}/write?precision=s`, { method: 'POST', body: lines.join('\n') });
  assert.equal(written.status, 204, await written.text());
});
after(() => server?.stop());

async function ask(path, accept = 'application/json') {
  const reply = await fetch(base + path, { headers: { accept } });
  assert.equal(reply.status, 200, path);
  return reply;
}

test('an Arrow stream is read as it is', async () => {
  const reply = await ask('/v1/range?from=cpu&limit=100000', 'application/vnd.apache.arrow.stream');
  assert.equal(reply.headers.get('content-type'), 'application/vnd.apache.arrow.stream');
  const table = tableFromIPC(new Uint8Array(await reply.arrayBuffer()));
  assert.equal(table.numRows, 5000);
  assert.deepEqual(
    table.schema.fields.map((f) => `${f.name}:${f.type}`),
    ['time:Timestamp<NANOSECOND, UTC>', 'family:Utf8', 'host:Utf8', 'n:Int64', 'note:Utf8', 'ok:Bool', 'usage:Float64'],
  );
  for (const i of [0, 1, 4095, 4096, 4999]) {
    const row = table.get(i);
    assert.equal(row.host, `h${i % 4}`);
    assert.equal(row.n, BigInt(i));
    assert.equal(row.usage, i / 10);
    assert.equal(row.note, `row ${i}`);
    assert.equal(row.ok, i % 2 === 0);
  }
});

test('the cursor is in the schema of an Arrow stream, too', async () => {
  const reply = await ask('/v1/range?from=cpu&limit=10', 'application/vnd.apache.arrow.stream');
  const table = tableFromIPC(new Uint8Array(await reply.arrayBuffer()));
  assert.ok(reply.headers.get('x-downtick-cursor'));
  assert.equal(table.schema.metadata.get('downtick.cursor'), reply.headers.get('x-downtick-cursor'));
});

test('a field of two types is two Arrow columns', async () => {
  const reply = await ask('/v1/range?from=mixed', 'application/vnd.apache.arrow.stream');
  const table = tableFromIPC(new Uint8Array(await reply.arrayBuffer()));
  assert.deepEqual(table.schema.fields.map((f) => f.name), ['time', 'family', 'v', 'v:int64']);
  assert.deepEqual([table.get(0)['v:int64'], table.get(0).v], [1n, null]);
  assert.deepEqual([table.get(1)['v:int64'], table.get(1).v], [null, 'one']);
});

test('tail, range and aggregates in JSON', async () => {
  const tail = await (await ask('/v1/tail?from=cpu&n=3')).json();
  assert.deepEqual(tail.rows.map((r) => r.fields.n), [4999, 4998, 4997]);
  const where = encodeURIComponent("host eq 'h1' and n lt 10");
  const range = await (await ask(`/v1/range?from=cpu&where=${where}&select=n,host`)).json();
  assert.deepEqual(range.rows.map((r) => [r.tags.host, r.fields]), [1, 5, 9].map((n) => ['h1', { n }]));
  const sums = await (await ask('/v1/range?from=cpu&agg=count(*),max(n)&by=host')).json();
  assert.deepEqual(sums.rows.map((r) => [r.tags.host, r.fields['count(*)'], r.fields['max(n)']]),
    [0, 1, 2, 3].map((h) => [`h${h}`, 1250, 4996 + h]));
});

test('pages follow their cursors, also after a restart', async () => {
  const seen = [];
  let cursor = '';
  for (let page = 0; ; ++page) {
    const answer = await (await ask(`/v1/range?from=cpu&order=desc&limit=700&cursor=${cursor}`)).json();
    seen.push(...answer.rows.map((r) => r.fields.n));
    if (page === 2) await server.restart();
    if (!(cursor = answer.cursor)) break;
  }
  assert.deepEqual(seen, Array.from({ length: 5000 }, (_, i) => 4999 - i));
});

test('follow sends history, then arrivals, each once', async () => {
  const abort = new AbortController();
  const reply = await fetch(`${base}/v1/tail?from=cpu&n=2&follow=true`, { signal: abort.signal, headers: { accept: 'application/x-ndjson' } });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const lines = async (count) => {
    while (text.split('\n').length <= count) text += (await reader.read()).value;
    return text.trimEnd().split('\n').map((line) => JSON.parse(line).fields.n);
  };
  assert.deepEqual(await lines(2), [4998, 4999]);
  for (let i = 5000; i < 5003; ++i) {
    await fetch(`${base}/write?precision=s`, { method: 'POST', body: `cpu,host=live n=${i}i ${now + i - 5000}` });
  }
  assert.deepEqual(await lines(5), [4998, 4999, 5000, 5001, 5002]);
  abort.abort();
});

test('errors are JSON and name what is wrong', async () => {
  for (const [path, status, code] of [
    ['/v1/tail?from=nowhere', 404, 'not_found'],
    ['/v1/tail', 400, 'bad_request'],
    ['/v1/range?from=cpu&start=soon', 400, 'bad_request'],
    ['/v1/range?from=cpu&agg=median(n)', 400, 'bad_request'],
  ]) {
    const reply = await fetch(base + path);
    assert.equal(reply.status, status, path);
    assert.equal((await reply.json()).error.code, code, path);
  }
});

const postLogs = (source, records) =>
  fetch(`${base}/v1/logs/${source}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: records.map((r) => JSON.stringify(r)).join('\n'),
  });

test('log records are grouped by level, host and app, together with points', async () => {
  const records = Array.from({ length: 60 }, (_, i) => ({
    time: now - 60 + i, level: i % 3 === 0 ? 'error' : 'info', host: `h${i % 2}`, app: 'shop', message: `m${i}`,
  }));
  assert.equal((await postLogs('shop', records)).status, 204);
  const rows = async (query) => (await (await ask(`/v1/range?from=shop&agg=count(*)&${query}`)).json()).rows;
  assert.deepEqual((await rows('by=level')).map((r) => [r.tags.level, r.fields['count(*)']]), [['error', 20], ['info', 40]]);
  const where = encodeURIComponent("level le 'error'");
  const minutes = await rows(`every=1m&by=level,host&where=${where}`);
  assert.equal(minutes.reduce((sum, r) => sum + r.fields['count(*)'], 0), 20);
  assert.ok(minutes.every((r) => r.tags.level === 'error' && /^h[01]$/.test(r.tags.host)));
  assert.deepEqual((await rows('by=hots')).map((r) => r.tags), [{}]);
  const both = await (await ask('/v1/range?from=shop,cpu&agg=count(host)&by=host')).json();
  assert.equal(both.rows.find((r) => r.tags.host === 'h1').fields['count(host)'], 1250 + 30);
});

test('with select, CSV has the same columns on every page', async () => {
  assert.equal((await postLogs('cpu', [{ time: now - 4990, host: 'web', message: 'between' }])).status, 204);
  const headers = new Set();
  const hosts = [];
  for (let cursor = ''; ;) {
    const reply = await ask(`/v1/range?from=cpu&select=message,host&limit=5&end=${now - 4980}&cursor=${cursor}`, 'text/csv');
    const [header, ...rows] = (await reply.text()).trimEnd().split('\r\n');
    headers.add(header);
    hosts.push(...rows.map((row) => row.split(',')[4]));
    if (!(cursor = reply.headers.get('x-downtick-cursor') ?? '')) break;
  }
  assert.deepEqual([...headers], ['time,family,source,message,host']);
  assert.equal(hosts.length, 21);
  assert.ok(hosts.includes('web') && hosts.every(Boolean));
});

test('what is exported as NDJSON comes back in as it was', async () => {
  const line = await (await ask(`/v1/range?from=cpu&where=${encodeURIComponent('n eq 20')}`, 'application/x-ndjson')).text();
  assert.match(line, /"n":20,/);
  assert.match(line, /"usage":2\.0/);
});

test('numbers compare by value, whatever their types', async () => {
  const count = async (where) =>
    (await (await ask(`/v1/range?from=cpu&agg=count(*)&where=${encodeURIComponent(where)}`)).json()).rows[0]?.fields['count(*)'] ?? 0;
  assert.equal(await count('n lt 5.5'), 6);
  assert.equal(await count('n eq 6.0'), 1);
  assert.equal(await count('n eq 6.5'), 0);
  assert.equal(await count('usage le 1L'), 11);
});

test('a family with a comma in its name can be asked for', async () => {
  await fetch(`${base}/write`, { method: 'POST', body: 'a\\,b,t=x v=1' });
  const answer = await (await ask(`/v1/tail?from=${encodeURIComponent('a\\,b')}`)).json();
  assert.deepEqual(answer.rows.map((r) => [r.family, r.fields]), [['a,b', { v: 1 }]]);
});

test('a live tail of what is not there yet waits for it', async () => {
  const abort = new AbortController();
  const reply = await fetch(`${base}/v1/tail?from=later&follow=true`, { signal: abort.signal });
  assert.equal(reply.status, 200);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await postLogs('later', [{ message: 'here' }])).status, 204);
  assert.equal(JSON.parse((await reader.read()).value).message, 'here');
  abort.abort();
  assert.equal((await fetch(`${base}/v1/tail?from=table:later&follow=true`)).status, 404);
});

test('a filter that is refused says why', async () => {
  for (const [where, why] of [['message%20eq%20null', /equal to null/], ['a%20eq%20%27%ff%27', /UTF-8/]]) {
    const reply = await fetch(`${base}/v1/tail?from=cpu&where=${where}`);
    assert.equal(reply.status, 400);
    assert.match((await reply.json()).error.message, why);
  }
});

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

// collectd with the configuration of docs/ingest.md: each value that it has read is read back, through the Table service.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startCollectd } from './lib/collectd.mjs';
import { Server } from './lib/server.mjs';

const host = 'myhost';
const text = readFileSync(new URL('../../docs/ingest.md', import.meta.url), 'utf8');
const [, documented] = /^## collectd\n[^]*?```\n([^]*?)```/m.exec(text);
const missing = 'there is no collectd on this machine, and none to be had from its Debian mirror';

let server;
before(async () => (server = await Server.start({ listeners: ['http', 'graphite'] })));
after(() => server.stop());

async function until(isTrue, secondsMax, what) {
  for (const end = Date.now() + secondsMax * 1000; !(await isTrue()); await delay(100)) {
    assert.ok(Date.now() < end, what());
  }
}

// Runs it until it has read everything `rounds` times. `writer` is what the document says, with the port of this server.
async function runCollectd(t, writer, rounds) {
  assert.ok(documented.includes('Port "2003"'), documented);
  const collectd = startCollectd({ host, writer: writer.replace('"2003"', `"${server.ports.graphite}"`) });
  if (!collectd) return t.skip(missing);
  t.after(() => collectd.clean());
  const counts = () => [...collectd.readings().values()].map((readings) => readings.length);
  try {
    await until(() => counts().length >= 8 && Math.min(...counts()) >= rounds, 30, collectd.said);
  } finally {
    await collectd.stop();
  }
  return collectd.readings();
}

const lastTick = 3155378975999999999n; // 9999-12-31T23:59:59.9999999Z
const unixEpoch = 621355968000000000n;
const secondsOf = (rowKey) => Number((lastTick - BigInt(rowKey.slice(0, 19)) - unixEpoch) / 10_000_000n);

// All rows of the family, by partition, oldest first.
async function storedRows() {
  const found = new Map();
  for await (const { name } of server.service().listTables()) {
    if (!/^graphite\d{8}$/.test(name)) continue;
    for await (const row of server.table(name).listEntities()) {
      const rows = found.get(row.partitionKey) ?? [];
      found.set(row.partitionKey, [{ seconds: secondsOf(row.rowKey), value: row.value }, ...rows]);
    }
  }
  for (const rows of found.values()) rows.sort((a, b) => a.seconds - b.seconds);
  return found;
}

test('each value of collectd is a row of its series', { timeout: 120_000 }, async (t) => {
  const readings = await runCollectd(t, documented, 3);
  if (!readings) return;
  // A rate has no first value; collectd sends `nan` for it, which is refused.
  const sent = new Map([...readings].map(([path, all]) => [`path=${host}.${path}`, all.filter((r) => !Number.isNaN(r.value))]));
  const count = (map) => [...map.values()].reduce((sum, rows) => sum + rows.length, 0);
  assert.ok(sent.has(`path=${host}.load.load.shortterm`), 'the name in the document');
  assert.ok(count(sent) < count(readings), 'contextswitch is a rate');
  let stored;
  await until(async () => count((stored = await storedRows())) >= count(sent), 20, () => `${count(stored)} of ${count(sent)} values came`);
  assert.deepEqual([...stored.keys()].sort(), [...sent.keys()].sort());
  for (const [partition, rows] of sent) {
    const got = stored.get(partition);
    assert.equal(got.length, rows.length, partition);
    rows.forEach(({ seconds, value }, i) => {
      assert.ok(Math.abs(got[i].seconds - seconds) <= 0.51, `${partition}: ${got[i].seconds}, not ${seconds}`); // Graphite has whole seconds
      assert.ok(Math.abs(got[i].value - value) <= 1e-6, `${partition}: ${got[i].value}, not ${value}`); // its files have six digits
    });
  }
  const metrics = await (await fetch(`http://127.0.0.1:${server.ports.http}/metrics`)).text();
  assert.match(metrics, /downtick_ingest_rejected_total\{protocol="graphite",reason="\w+"[^}]*\} 1\b/, 'the one nan');
});

test('with UseTags the name is the family, and the tags are tags', { timeout: 120_000 }, async (t) => {
  const readings = await runCollectd(t, documented.replace('    EscapeCharacter', '    UseTags true\n    EscapeCharacter'), 2);
  if (!readings) return;
  const url = `http://127.0.0.1:${server.ports.http}/v1/range?from=family:load.load.shortterm`;
  const count = readings.get('load.load.shortterm').length;
  let rows = [];
  await until(async () => (rows = (await (await fetch(url)).json()).rows ?? []).length >= count, 20, () => `${rows.length} of ${count} came`);
  assert.equal(rows.length, count);
  for (const { tags } of rows) assert.deepEqual(tags, { ds_name: 'shortterm', host, plugin: 'load', type: 'load' });
});

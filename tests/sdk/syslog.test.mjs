// Syslog as real senders speak it: rsyslog forwarding RFC 5424, and logger in both framings; what they sent is read back.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { forwardFile } from './lib/rsyslog.mjs';
import { Server } from './lib/server.mjs';

let server;
let folder;
before(async () => {
  server = await Server.start({ listeners: ['http', 'syslog'] });
  folder = mkdtempSync(join(tmpdir(), 'downtick-syslog-'));
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

// TCP acknowledges nothing: asks until all are there. Newest first.
async function recordsOf(source, count) {
  let found = [];
  for (let i = 0; i < 300; ++i) {
    const reply = await fetch(`http://127.0.0.1:${server.ports.http}/v1/tail?from=source:${source}&n=${count + 10}`);
    found = reply.ok ? rowsOf(await reply.text()) : [];
    if (found.length >= count) break;
    await delay(100);
  }
  return found;
}
const rowsOf = (body) => {
  const whole = JSON.parse(body);
  return whole.rows ?? whole;
};

function log(tag, message, ...options) {
  return spawnSync('logger', ['--tcp', '--server', '127.0.0.1', '--port', `${server.ports.syslog}`, '-t', tag, ...options, '--', message]);
}

for (const [name, options] of [
  ['newline framing', []],
  ['octet counts', ['--octet-count']],
]) {
  test(`logger over TCP with ${name}`, async (t) => {
    const tag = `logger-${options.length}`;
    const first = log(tag, 'disk 3 is full', '-p', 'local0.warning', '--rfc5424', ...options);
    if (first.error) return t.skip('there is no logger on this machine');
    assert.equal(first.status, 0, first.stderr?.toString());
    assert.equal(log(tag, 'disk 3 is fine, was "full" [äöü]', '-p', 'local0.info', '--rfc3164', ...options).status, 0);
    const records = await recordsOf(tag, 2);
    const messages = new Map(records.map((r) => [r.message, r]));
    assert.equal(records.length, 2);
    assert.match(`${messages.get('disk 3 is full')?.level}`, /^(4|warn(ing)?)$/);
    assert.match(`${messages.get('disk 3 is fine, was "full" [äöü]')?.level}`, /^(6|info)$/);
    assert.equal(messages.get('disk 3 is full').app, tag);
  });
}

test('structured data of logger becomes fields', async (t) => {
  const sent = log('structured', 'paid', '--rfc5424', '--octet-count', '--sd-id', 'order@32473', '--sd-param', 'number="4711"');
  if (sent.error) return t.skip('there is no logger on this machine');
  const [record] = await recordsOf('structured', 1);
  assert.equal(record.message, 'paid');
  assert.ok(JSON.stringify(record).includes('4711'));
});

for (const framing of ['octet-counted', 'traditional']) {
  test(`rsyslog forwards RFC 5424 over TCP, ${framing}`, { timeout: 120_000 }, async (t) => {
    const tag = `rsyslog-${framing}`;
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i} of a file that rsyslog reads, 10.0.0.${i % 256} "quoted" <${i}>`);
    const file = join(folder, `${framing}.log`);
    writeFileSync(file, lines.join('\n') + '\n');
    const rsyslog = forwardFile({ file, tag, port: server.ports.syslog, framing });
    if (!rsyslog) return t.skip('there is no rsyslog on this machine, and none to be had from its Debian mirror');
    try {
      const records = await recordsOf(tag, lines.length);
      assert.deepEqual(new Set(records.map((r) => r.message)), new Set(lines));
      assert.equal(records.length, lines.length);
      assert.ok(records.every((r) => r.app === tag && /^(5|notice)$/.test(`${r.level}`)));
    } finally {
      await rsyslog.stop();
    }
  });
}

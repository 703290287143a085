// The programs of docs/tables.md run as they stand and print what it says; the tutorial of the README runs, command by command.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Server } from './lib/server.mjs';

let server;
before(async () => (server = await Server.start({ listeners: ['http', 'syslog'] })));
after(() => server.stop());

const text = readFileSync(new URL('../../docs/tables.md', import.meta.url), 'utf8');
const programs = [...text.matchAll(/^### ([^\n]*)\n(?:(?!^#)[^])*?```js\n([^]*?)```/gm)].map(([, title, code]) => ({ title, code }));

function run(code) {
  // The document uses the address that a reader's server has.
  const here = code.replaceAll("'UseDevelopmentStorage=true'", JSON.stringify(server.connectionString()));
  const allowed = here.replace(/(fromConnectionString\((?:[^()]|\([^()]*\))*)\)/g, '$1, { allowInsecureConnection: true })');
  const child = spawn(process.execPath, ['--input-type=module', '-'], { cwd: fileURLToPath(new URL('.', import.meta.url)) });
  let printed = '';
  child.stdout.on('data', (piece) => (printed += piece));
  child.stderr.on('data', (piece) => (printed += piece));
  child.stdin.end(allowed);
  return new Promise((resolve) => child.on('exit', (status) => resolve({ status, printed })));
}

test('there are programs', () => assert.ok(programs.length >= 8));

for (const { title, code } of programs) {
  test(title, async () => {
    const { status, printed } = await run(code);
    assert.equal(status, 0, printed);
    const promised = [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => line);
    assert.deepEqual(printed.trimEnd().split('\n'), promised);
  });
}

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const tutorial = /^## Five minutes\n([^]*?)^## /m.exec(readme)[1];
const commands = [...tutorial.matchAll(/```sh\n([^]*?)```/g)].map(([, code]) => code);
const binary = process.env.DOWNTICK_BINARY ?? fileURLToPath(new URL('../../build/downtick', import.meta.url));

// Syslog has no answer to wait for; a reader takes longer to type.
async function hasArrived(source) {
  for (let attempts = 0; attempts < 200; ++attempts) {
    if ((await fetch(`http://127.0.0.1:${server.ports.http}/v1/tail?from=source:${source}`)).ok) return;
    await delay(50);
  }
  assert.fail(`no record of ${source} has come`);
}

// One test: each block builds on the one before.
test('the tutorial of the README', async () => {
  assert.ok(commands.length >= 5);
  const printed = [];
  for (const code of commands) {
    const here = code
      .replaceAll('127.0.0.1:8470', `127.0.0.1:${server.ports.http}`)
      .replaceAll('--port 5514', `--port ${server.ports.syslog}`)
      .replaceAll('build/downtick', binary);
    const environment = { ...process.env, DOWNTICK_SERVER: `http://127.0.0.1:${server.ports.http}` };
    printed.push(execFileSync('bash', ['-e', '-c', here], { encoding: 'utf8', env: environment }));
    if (code.includes('logger ')) await hasArrived('backup');
  }
  const all = printed.join('');
  for (const expected of ['GET /login 500 80ms', 'disk sda1 is getting full', 'usage_user', 'max(usage_user)', '"family":"cpu"', '7d', 'cpu20']) {
    assert.ok(all.includes(expected), `${expected} is not in\n${all}`);
  }
});

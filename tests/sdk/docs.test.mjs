// The programs of docs/tables.md run as they stand and print what it says; the tutorial of the README and the commands of the other
// documents run, block by block, and print what stands below them.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

// Each with a server of its own. curl fails where the server refuses; nc is not on every machine.
const shell = `
curl() { command curl -s --fail-with-body "$@"; }
downtick() { ${JSON.stringify(binary)} "$@"; }
nc() { cat > "/dev/tcp/$2/$3"; }
`;
const usual = { http: 8470, line: 8094, json: 8095, graphite: 2003, syslog: 5514 };
const prepared = {
  'ingest.md': '',
  'logs.md': 'printf "one\\ntwo\\n" > app.log',
  'query.md': '',
  'operations.md': `downtick write 'cpu v=1' 'downtick,shard=0 memory_used_bytes=1i,log_lag_us=1i'; curl http://127.0.0.1:8470/v1/logs/web -d line`,
};

// Lines of CSV end as its standard says; what an answer cost depends on the number of cores.
const comparable = (answer) => answer.trim().replaceAll('\r', '').replaceAll(/"rows_examined":\d+/g, '"rows_examined":N');

for (const [name, preparation] of Object.entries(prepared)) {
  test(`the commands of docs/${name}`, async () => {
    const document = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    const blocks = [...document.matchAll(/^```sh\n([^]*?)^```\n(?:```(?:json|csv)\n([^]*?)^```)?/gm)];
    assert.ok(blocks.length >= 1);
    const own = await Server.start({ listeners: Object.keys(usual) });
    const folder = mkdtempSync(join(tmpdir(), 'downtick-docs-'));
    try {
      for (const [, code, promised] of [['', preparation], ...blocks]) {
        const here = Object.entries(usual)
          .reduce((text, [listener, port]) => text.replaceAll(new RegExp(`(127\\.0\\.0\\.1[: ]|--port )${port}\\b`, 'g'), `$1${own.ports[listener]}`), code)
          .replaceAll('/var/lib/downtick', own.data)
          .replaceAll(/^downtick serve .*$/gm, ''); // does not end
        writeFileSync(join(folder, 'block.sh'), shell + here);
        const environment = { ...process.env, DOWNTICK_SERVER: `http://127.0.0.1:${own.ports.http}` };
        const printed = execFileSync('bash', ['-e', 'block.sh'], { cwd: folder, encoding: 'utf8', env: environment, timeout: 60_000 });
        if (promised) assert.equal(comparable(printed), comparable(promised), code);
      }
    } finally {
      rmSync(folder, { recursive: true });
      await own.stop();
    }
  });
}

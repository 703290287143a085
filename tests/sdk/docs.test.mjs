// The programs of docs/tables.md run as they stand and print what it says.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Server } from './lib/server.mjs';

let server;
before(async () => (server = await Server.start()));
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

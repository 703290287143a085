// The Python client of Azure Tables, where it is installed (Debian: python3-azure): what it sends differs from the JavaScript one. Runs
// clients.py and the program of docs/tables.md.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Server } from './lib/server.mjs';

const python = ['/usr/bin/python3', 'python3'].find(
  (path) => spawnSync(path, ['-c', 'import azure.data.tables']).status === 0,
);
const skip = python === undefined && 'no Python with azure-data-tables here (Debian: python3-azure)';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

function run(args, input) {
  const child = spawn(python, args, { env: { ...process.env, DOWNTICK_CONNECTION: server.connectionString() } });
  let printed = '';
  child.stdout.on('data', (piece) => (printed += piece));
  child.stderr.on('data', (piece) => (printed += piece));
  child.stdin.end(input);
  return new Promise((resolve) => child.on('exit', (status) => resolve({ status, printed })));
}

test('the Python client', { skip }, async () => {
  const { status, printed } = await run(['-W', 'ignore', fileURLToPath(new URL('clients.py', import.meta.url))]);
  assert.equal(status, 0, printed);
});

test('the Python program of docs/tables.md', { skip }, async () => {
  const text = readFileSync(new URL('../../docs/tables.md', import.meta.url), 'utf8');
  const code = /```python\n([^]*?)```/.exec(text)[1];
  const here = code.replace(/connection = \([^]*?\n\)\n/, 'import os\nconnection = os.environ["DOWNTICK_CONNECTION"]\n');
  const { status, printed } = await run(['-'], here);
  assert.equal(status, 0, printed);
  assert.equal(printed.trim(), 'graz 300000');
});

// A real rsyslog: this machine's, or else the one of its Debian, unpacked beside the build without installing anything.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = ['rsyslog', 'libestr0', 'libfastjson4'];
const unpacked = fileURLToPath(new URL('../../../build/sdk-rsyslog', import.meta.url));
const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((folder) => join(unpacked, folder));

function unpack() {
  const work = `${unpacked}.making.${process.pid}`;
  mkdirSync(join(work, 'root'), { recursive: true });
  try {
    execFileSync('apt-get', ['-qq', 'download', ...packages], { cwd: work, stdio: 'ignore', timeout: 60_000 });
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
      execFileSync('dpkg-deb', ['-x', join(work, file), join(work, 'root')]);
    }
    renameSync(join(work, 'root'), unpacked);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// Its program and where its modules are; null when it is not to be had.
function find() {
  if (spawnSync('rsyslogd', ['-v']).status === 0) return { program: 'rsyslogd', modules: [], environment: process.env };
  try {
    if (!existsSync(unpacked)) unpack();
  } catch {
    return null;
  }
  const modules = libraries.map((folder) => join(folder, 'rsyslog')).find(existsSync);
  const environment = { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };
  return { program: join(unpacked, 'usr/sbin/rsyslogd'), modules: ['-M', modules], environment };
}

// Forwards the lines of a file, from its beginning, as RFC 5424 over TCP. Null when there is no rsyslog here.
export function forwardFile({ file, tag, port, framing }) {
  const found = find();
  if (!found) return null;
  const folder = mkdtempSync(join(tmpdir(), 'downtick-rsyslog-'));
  const config = join(folder, 'rsyslog.conf');
  writeFileSync(
    config,
    `global(workDirectory="${folder}" maxMessageSize="64k")
module(load="imfile" PollingInterval="1")
input(type="imfile" File="${file}" Tag="${tag}" Severity="notice" Facility="local3")
action(type="omfwd" target="127.0.0.1" port="${port}" protocol="tcp" TCP_Framing="${framing}" template="RSYSLOG_SyslogProtocol23Format"
       action.resumeRetryCount="-1")
`,
  );
  const child = spawn(found.program, ['-n', '-f', config, '-i', join(folder, 'pid'), ...found.modules], { env: found.environment, stdio: 'ignore' });
  return {
    async stop() {
      child.kill();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

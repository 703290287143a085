// A real rsyslog: this machine's, or else the one of its Debian, unpacked beside the build without installing anything.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackedPackages } from './debian.mjs';

// Its program and where its modules are; null when it is not to be had.
function find() {
  if (spawnSync('rsyslogd', ['-v']).status === 0) return { program: 'rsyslogd', modules: [], environment: process.env };
  const root = unpackedPackages('rsyslog', ['rsyslog', 'libestr0', 'libfastjson4']);
  if (!root) return null;
  const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((folder) => join(root, folder));
  const modules = libraries.map((folder) => join(folder, 'rsyslog')).find(existsSync);
  const environment = { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };
  return { program: join(root, 'usr/sbin/rsyslogd'), modules: ['-M', modules], environment };
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

// A real collectd: this machine's, or else the one of its Debian, unpacked beside the build without installing anything.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackedPackages } from './debian.mjs';

// The folder it is in; null when it is not to be had.
function find() {
  const isIn = (root) => root !== null && existsSync(join(root, 'usr/lib/collectd/write_graphite.so')) && existsSync(join(root, 'usr/sbin/collectd'));
  if (isIn('/')) return '/';
  const root = unpackedPackages('collectd', ['collectd-core', 'libcap2']);
  return isIn(root) ? root : null;
}

// Reads what this machine does, a value of each kind every two seconds, and hands it to `writer` (a piece of configuration); also to files of
// its own, so that it is known what it has read. Null when there is no collectd here.
export function startCollectd({ host, writer }) {
  const root = find();
  if (!root) return null;
  const folder = mkdtempSync(join(tmpdir(), 'downtick-collectd-'));
  const config = join(folder, 'collectd.conf');
  writeFileSync(
    config,
    `Hostname "${host}"
FQDNLookup false
Interval 2
BaseDir "${folder}"
PIDFile "${folder}/pid"
PluginDir "${join(root, 'usr/lib/collectd')}"
TypesDB "${join(root, 'usr/share/collectd/types.db')}"
LoadPlugin load
LoadPlugin memory
LoadPlugin uptime
LoadPlugin contextswitch
LoadPlugin csv
<Plugin csv>
  DataDir "${folder}/csv"
  StoreRates true
</Plugin>
${writer}`,
  );
  const environment = { ...process.env, LD_LIBRARY_PATH: ['usr/lib', 'lib'].map((folder) => join(root, folder, 'x86_64-linux-gnu')).join(':') };
  const child = spawn(join(root, 'usr/sbin/collectd'), ['-f', '-C', config], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  return {
    said: () => said,
    readings: () => readingsIn(join(folder, 'csv', host)),
    // What it has not sent yet it sends now.
    async stop() {
      child.kill();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    },
    clean: () => rmSync(folder, { recursive: true, force: true }),
  };
}

// By path as write_graphite makes it: [{seconds, value}], in the order of time. A file is HOST/PLUGIN/TYPE-DATE, a column a value.
function readingsIn(folder) {
  const found = new Map();
  if (!existsSync(folder)) return found;
  for (const plugin of readdirSync(folder)) {
    for (const file of readdirSync(join(folder, plugin)).sort()) {
      const type = file.replace(/-\d{4}-\d\d-\d\d$/, '');
      const [head, ...lines] = readFileSync(join(folder, plugin, file), 'utf8').trimEnd().split('\n');
      const columns = head.split(',').slice(1);
      columns.forEach((column, i) => {
        const path = [plugin, type, ...(columns.length > 1 ? [column] : [])].join('.');
        const readings = lines.map((line) => line.split(',').map(Number)).map((cells) => ({ seconds: cells[0], value: cells[i + 1] }));
        found.set(path, [...(found.get(path) ?? []), ...readings]);
      });
    }
  }
  return found;
}

// Programs of this machine's Debian, unpacked beside the build without installing anything.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The folder that the packages were unpacked to, once for all runs; null when they are not to be had.
export function unpackedPackages(name, packages) {
  const unpacked = fileURLToPath(new URL(`../../../build/sdk-${name}`, import.meta.url));
  try {
    if (!existsSync(unpacked)) unpack(packages, unpacked);
    return unpacked;
  } catch {
    return null;
  }
}

function unpack(packages, to) {
  const work = `${to}.making.${process.pid}`;
  mkdirSync(join(work, 'root'), { recursive: true });
  try {
    execFileSync('apt-get', ['-qq', 'download', ...packages], { cwd: work, stdio: 'ignore', timeout: 60_000 });
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
      execFileSync('dpkg-deb', ['-x', join(work, file), join(work, 'root')]);
    }
    renameSync(join(work, 'root'), to);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

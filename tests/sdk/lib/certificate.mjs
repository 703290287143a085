// The certificate that tests of HTTPS use: for localhost and 127.0.0.1, signed by itself, its key public.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function writeCertificate() {
  const source = readFileSync(new URL('../../reactor/http/test_certificate.hh', import.meta.url), 'utf8');
  const [certificate, key] = source.match(/-----BEGIN [^]*?-----END [A-Z ]*-----\n/g);
  const folder = mkdtempSync(join(tmpdir(), 'downtick-tls-'));
  const certificateFile = join(folder, 'server.pem');
  const keyFile = join(folder, 'server.key');
  writeFileSync(certificateFile, certificate);
  writeFileSync(keyFile, key);
  return { certificate, certificateFile, keyFile, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

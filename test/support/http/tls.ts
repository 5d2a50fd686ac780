// An authority that this test alone trusts, and servers with certificates of it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

type Wanted = { name: string; isExpired?: boolean };

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Null where the machine has no openssl: nothing else here can sign a certificate. */
export function createAuthority() {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  const file = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const run = (...given: string[]) =>
    execFileSync('openssl', given, { cwd: folder, stdio: 'pipe' });
  run(
    'req',
    '-x509',
    ...KEY,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test',
  );
  return {
    ca: read('ca.pem'),
    /** From now on, in this process. */
    trust: () => setDefaultCACertificates([...getCACertificates('default'), read('ca.pem')]),
    issue({ name, isExpired = false }: Wanted) {
      const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      run('req', ...KEY, '-keyout', 'its.key', '-out', 'its.csr', ...names);
      const days = isExpired ? '-1' : '2';
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-copy_extensions', 'copy'];
      run('x509', '-req', '-in', 'its.csr', ...signed, '-days', days, '-out', 'its.pem');
      return { key: read('its.key'), cert: read('its.pem') };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

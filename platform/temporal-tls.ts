// The connection to Temporal on other machines: TLS, a client certificate, an API key.
import { z } from 'zod';

const pem = z
  .string()
  .regex(/^-----BEGIN [A-Z ]+-----/, 'expected PEM, or its file in <NAME>_FILE');

export const temporalTlsSettings = {
  TEMPORAL_TLS: z.enum(['true', 'false']).optional(),
  TEMPORAL_TLS_CA: pem.optional(),
  TEMPORAL_TLS_CERT: pem.optional(),
  TEMPORAL_TLS_KEY: pem.optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional(),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
};

const shape = z.object(temporalTlsSettings);
type Values = z.infer<typeof shape>;

/**
 * Returns the settings in the SDK's form; the system's authorities serve without a CA. An API key or
 * a certificate is never sent over a connection without TLS.
 */
export function readTemporalTls(values: Values) {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: crt, TEMPORAL_TLS_KEY: key } = values;
  const name = values.TEMPORAL_TLS_SERVER_NAME;
  if (values.TEMPORAL_TLS !== 'true' && !ca && !crt && !values.TEMPORAL_API_KEY) return undefined;
  return {
    ...(name && { serverNameOverride: name }),
    ...(ca && { serverRootCACertificate: Buffer.from(ca) }),
    ...(crt && key && { clientCertPair: { crt: Buffer.from(crt), key: Buffer.from(key) } }),
  };
}

export function temporalTlsProblems(given: Record<string, string | undefined>): string[] {
  const problems = [];
  if (!given['TEMPORAL_TLS_CERT'] !== !given['TEMPORAL_TLS_KEY']) {
    problems.push('TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY: one needs the other');
  }
  const needing = ['TEMPORAL_TLS_CA', 'TEMPORAL_TLS_CERT', 'TEMPORAL_API_KEY'];
  for (const name of needing.filter((setting) => given[setting])) {
    if (given['TEMPORAL_TLS'] === 'false') problems.push(`${name}: needs TEMPORAL_TLS=true`);
  }
  return problems;
}

// `npm run temporal -- ...`: the Temporal CLI that brings the embedded server, at the running platform.
import { spawn } from 'node:child_process';
import { ConfigurationError, readHostEnvironment } from '../platform/config.ts';
import { findTemporalServer, type TemporalServer } from '../scripts/temporal-server.ts';
import { locateTemporal } from './temporal-binary.ts';

const NO_BINARY =
  'There is no Temporal CLI yet: none on PATH, and none in the cache. `npm start` downloads or builds one at its first start.';

try {
  process.exitCode = await runCli(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ConfigurationError ? error.message : error);
  process.exitCode = 1;
}

async function runCli(args: string[]): Promise<number> {
  const { binary } = await locateTemporal(new AbortController().signal);
  if (binary === null) throw new ConfigurationError(NO_BINARY);
  const server = findTemporalServer();
  if (server.address === null) {
    console.error(`Nothing has run on ${server.dataDir}: the CLI takes its own default address.`);
  }
  const env = { ...readHostEnvironment(), ...toVariables(server) };
  const child = spawn(binary, args, { env, stdio: 'inherit' });
  // Ctrl-C reaches the CLI by itself.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** The settings by the CLI's names of them; its options come before these. */
function toVariables({ address, namespace, tls, apiKey }: TemporalServer): Record<string, string> {
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = tls ?? {};
  const variables = {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TLS: tls && 'true',
    TEMPORAL_TLS_SERVER_NAME: serverNameOverride,
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: serverRootCACertificate?.toString(),
    TEMPORAL_TLS_CLIENT_CERT_DATA: clientCertPair?.crt.toString(),
    TEMPORAL_TLS_CLIENT_KEY_DATA: clientCertPair?.key.toString(),
    TEMPORAL_API_KEY: apiKey,
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

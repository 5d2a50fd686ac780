import { readHostEnvironment } from '../../platform/config.ts';
import { findTemporal } from '../../dev/engines/temporal-binary.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startTemporal } from '../../dev/temporal.ts';
import type { Starting } from './start/process.ts';

export type Temporal = { address: string; stop(): Promise<void> };

/** A development server that forgets everything. */
export async function startOwnTemporal({ children, signal }: Starting): Promise<Temporal> {
  const environment = readHostEnvironment();
  const silent = { announce: () => undefined, progress: () => undefined };
  const binary = await findTemporal({ environment, signal, ...silent });
  const ports = await resolvePorts({ port: 0, uiPort: 0 });
  const child = await startTemporal({ ...ports, binary, children, environment, signal });
  return { address: `127.0.0.1:${ports.port}`, stop: () => child.stop() };
}

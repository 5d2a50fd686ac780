import { resolvePorts } from '../../dev/ports.ts';
import { startTemporal } from '../../dev/temporal.ts';
import type { Starting } from './start/process.ts';

export type Temporal = { address: string; stop(): Promise<void> };

/** A development server that forgets everything. */
export async function startOwnTemporal({ children, signal }: Starting): Promise<Temporal> {
  const ports = await resolvePorts({ port: 0, uiPort: 0 });
  const child = await startTemporal({ ...ports, children, signal });
  return { address: `127.0.0.1:${ports.port}`, stop: () => child.stop() };
}

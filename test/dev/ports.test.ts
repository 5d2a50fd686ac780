import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { resolvePorts } from '../../dev/ports.ts';

async function occupy(t: ExecutionContext, host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  t.teardown(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('0 becomes a free port, a different one for each', async (t) => {
  const ports = await resolvePorts({ ONE: 0, TWO: 0, THREE: 0 });
  t.is(new Set(Object.values(ports)).size, 3);
  t.true(Object.values(ports).every((port) => port > 1024));
});

test('all occupied ports are named in one message, each with the way out', async (t) => {
  const [one, two] = [await occupy(t, '127.0.0.1'), await occupy(t, '0.0.0.0')];
  const error = await t.throwsAsync(resolvePorts({ PORT: one, PG_PORT: two, MAIL_PORT: 0 }));
  t.is(
    error.message,
    [
      `Port ${one} (PORT) is taken by another program; set PORT to another number, or 0 for any free one.`,
      `Port ${two} (PG_PORT) is taken by another program; set PG_PORT to another number, or 0 for any free one.`,
    ].join('\n'),
  );
});

test('one number for two purposes is refused', async (t) => {
  const { ONE } = await resolvePorts({ ONE: 0 });
  const error = await t.throwsAsync(resolvePorts({ PORT: ONE, PG_PORT: ONE }));
  t.regex(error.message, /wanted twice, by PORT and PG_PORT; set PG_PORT/);
});

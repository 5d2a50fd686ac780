import { connect, createServer, type AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { listenForWakes } from '../../../platform/database/notify.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { eventually } from '../../support/eventually.ts';

const testDatabase = await createTestDatabase();
test.after.always(() => testDatabase.drop());

/** A network that swallows what comes after the first connection is made. */
async function startSilentNetwork(t: ExecutionContext, target: URL): Promise<string> {
  let isFirst = true;
  const server = createServer((inbound) => {
    const outbound = connect(Number(target.port), target.hostname);
    for (const socket of [inbound, outbound]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [inbound, outbound].forEach((each) => each.destroy()));
    }
    outbound.pipe(inbound);
    inbound.on('data', (chunk) => {
      if (isFirst && chunk.includes('listen ')) {
        isFirst = false;
        outbound.unpipe().pause();
      } else outbound.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}

test('a network that falls silent while the process begins to listen costs seconds', async (t) => {
  const woken: string[] = [];
  const url = await startSilentNetwork(t, new URL(testDatabase.url));
  const wakes = listenForWakes(url, (channel) => woken.push(channel));
  t.teardown(() => wakes.close());
  await eventually(
    () => testDatabase.query(`select pg_notify('gatehouse_outbox', '')`),
    () => woken.includes('gatehouse_outbox'),
  );
  t.pass();
});

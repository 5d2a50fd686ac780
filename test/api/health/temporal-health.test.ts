import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import test from 'ava';
import { watchTemporal } from '../../../api/health/temporal-health.ts';
import { connectTemporal } from '../../support/engines/temporal.ts';

const temporal = await connectTemporal();

test.after.always(() => temporal.connection.close());

const at = (address: string) => ({
  address,
  namespace: 'default',
  tls: undefined,
  apiKey: undefined,
});

test('Temporal is reachable while it answers', async (t) => {
  const watched = watchTemporal(at(temporal.address));
  t.true(await watched.isReachable());
  t.true(await watched.isReachable());
  watched.close();
});

test('Temporal is not reachable where nobody listens, nor where nobody answers', async (t) => {
  const calls: Socket[] = [];
  const silent = createServer((call) => calls.push(call)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const address of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
    const watched = watchTemporal(at(address));
    t.false(await watched.isReachable());
    watched.close();
  }
  for (const call of calls) call.destroy();
  silent.close();
});

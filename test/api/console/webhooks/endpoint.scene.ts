import test from 'ava';
import { startEndpoints } from '../../../support/webhooks/endpoints.ts';

export const endpoints = await startEndpoints({ limits: { settings: 1_000 } });
export const production = await startEndpoints({
  config: { webhooks: { allowedNetworks: [], isHttpAllowed: false } },
});
export const sending = endpoints.startSending();
test.after.always(async () => {
  await sending.stop();
  await Promise.all([endpoints.api.close(), production.api.close()]);
});

import test from 'ava';
import { createProcessor } from '../../../../clients/processor/processor.ts';
import { startTeams } from '../../../support/identity/teams.ts';

export const teams = await startTeams({ limits: { settings: 1_000 } });
const { api } = teams;

/** Where the processor is away. */
export const away = await startTeams({
  processor: createProcessor({ ...api.config.processor, apiUrl: 'http://127.0.0.1:1' }),
});
export const builder = await teams.signedIn(await api.seed.person({ isBuilder: true }));
export const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
/** Of each role that matters to the pool. */
export const team = await teams.team(['admin', 'finance', 'developer', 'viewer']);
await api.test.query(
  `insert into enabled_currency (currency) values ('JPY'), ('KWD'), ('MGA') on conflict do nothing`,
);
test.after.always(() => Promise.all([api.close(), away.api.close()]));

/** A verified maker, signed in, with a product. */
export async function createMaker(given: Parameters<typeof api.seed.product>[0] = {}) {
  const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: person, ...given });
  return { browser, person, product };
}

import test from 'ava';
import { startTeams } from '../../../support/identity/teams.ts';
import { addPeriod } from '../../../support/pool/period-rows.ts';

export const people = await startTeams();
const { api } = people;
const person = (given: Parameters<typeof api.seed.person>[0]) => api.seed.person(given);

export const operator = await people.signedIn(await person({ isOperator: true }));
export const otherOperator = await people.signedIn(await person({ isOperator: true }));
export const builder = await people.signedIn(await person({ isBuilder: true }));
/** A month that is being paid. */
export const PERIOD = '2025-11:EUR';
await addPeriod(api.test, { id: PERIOD, status: 'paying' });
export const [{ month }] = (await api.test.query<{ month: string }>(
  `select to_char(gatehouse_now() at time zone 'UTC', 'YYYY-MM') as month`,
)) as [{ month: string }];
test.after.always(() => api.close());

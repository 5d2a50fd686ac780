import test from 'ava';
import { signInAgain } from '../../../support/identity/proving.ts';
import { startTeams } from '../../../support/identity/teams.ts';

export const teams = await startTeams({ limits: { token: 100_000, authorize: 100_000 } });
export const { api } = teams;
export const owner = await api.seed.person({ isBuilder: true });
export const product = await api.seed.product({ owner, name: 'Pocket Synth' });
export const browser = api.browser();
await browser.signIn(owner);
const person = await api.seed.person({ isBuilder: true, isOperator: true });
/** An operator who builds, too. */
export const operator = {
  person,
  browser: api.browser(),
  product: await api.seed.product({ owner: person }),
};
await signInAgain(operator.browser, person);
test.after.always(() => api.close());

/** Hours later the builder signs in anew. */
export async function comeBack(milliseconds: number): Promise<void> {
  await api.test.advance(milliseconds);
  await signInAgain(browser, owner);
}

import test from 'ava';
import { startTeams } from '../../support/identity/teams.ts';

export const people = await startTeams({ limits: { token: 10_000 } });
export const operator = await people.signedIn(await people.api.seed.person({ isOperator: true }));
export const somebody = await people.signedIn();
test.after.always(() => people.api.close());

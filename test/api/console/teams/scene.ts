import test from 'ava';
import { startTeams } from '../../../support/identity/teams.ts';

export const teams = await startTeams();
export const somebody = await teams.signedIn();
test.after.always(() => teams.api.close());

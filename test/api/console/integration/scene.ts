import test from 'ava';
import { toDay } from '../../../../domain/shared/instant.ts';
import { now } from '../../../../platform/database/database.ts';
import { startTeams } from '../../../support/identity/teams.ts';

export const teams = await startTeams();
const { api } = teams;
export const team = await teams.team(['viewer']);
export const product = await teams.productOf(team);
export const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
export const today = toDay(await now(api.database.em()));

const builder = await teams.signedIn(await api.seed.person({ isBuilder: true }));
const synth = await api.seed.product({
  owner: builder.person,
  name: 'Pocket Synth',
  state: 'unlisted',
});
const url = 'https://receiver.example/hook';
const { secret } = await api.seed.endpoint({ productId: synth.id, url });
/** A builder in no team. */
export const lone = { ...builder, synth, secret };

const wholeTeam = await teams.wholeTeam();
/** A team with every role. */
export const whole = { team: wholeTeam, product: await teams.productOf(wholeTeam) };
test.after.always(() => api.close());

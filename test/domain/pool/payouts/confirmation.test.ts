import test from 'ava';
import { confirmFirstPayout } from '../../../../domain/pool/line/confirm-owner.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { addPoolOwner, addPoolTeam } from '../../../support/pool/payouts.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
test.after.always(close);

test('why an operator confirmed a team is not in the trail of the team', async (t) => {
  const teamId = await addPoolTeam({ query }, 'acct_trail');
  await query(
    'update payout_account set pool_confirmed_at = null, pool_confirmed_by = null where team_id = $1',
    [teamId],
  );
  const { personId: byId } = await addPoolOwner({ query });
  const confirmed = { ownerId: teamId, byId, ip: '192.0.2.1', reason: 'passport seen' };
  t.true(await database.transaction((em) => confirmFirstPayout(em, confirmed)));
  const trail = await query('select team_id, product_id from audit where subject = $1', [teamId]);
  t.deepEqual(trail, [{ team_id: null, product_id: null }]);
});

import test from 'ava';
import { startBuying } from '../../support/purchases/buying.ts';
import { priceMember } from '../../support/subscriptions/memberships.ts';

export const buying = await startBuying();
const { api } = buying;
export const price = await priceMember({ database: api.database, testDatabase: api.test });
test.after.always(() => api.close());

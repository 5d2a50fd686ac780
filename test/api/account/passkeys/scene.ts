import test from 'ava';
import { startPeople } from '../../../support/identity/people.ts';

// All of these tests sign in, rightly and wrongly, from one address.
const limits = { account_failures: 10_000, address_failures: 10_000 };
export const people = await startPeople({ host: 'localhost', limits });
test.after.always(() => people.api.close());

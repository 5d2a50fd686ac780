import test from 'ava';
import { startApi } from '../../../support/http/api.ts';
import { createSales } from '../../../support/purchases/sales.ts';

export const api = await startApi({ limits: { settings: 1_000 } });
export const owner = await api.seed.person({ isBuilder: true });
export const browser = api.browser();
await browser.signIn(owner);
export const sales = createSales({ testDatabase: api.test, database: api.database });
test.after.always(() => api.close());

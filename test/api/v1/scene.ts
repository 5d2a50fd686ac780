import test from 'ava';
import { startApi } from '../../support/http/api.ts';

export const api = await startApi();
export const product = await api.seed.product();
test.after.always(() => api.close());

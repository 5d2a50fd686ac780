import test from 'ava';
import { startApi } from '../../support/http/api.ts';

export const api = await startApi();
export const document = JSON.parse(await (await api.request('/openapi.json')).text());
test.after.always(() => api.close());

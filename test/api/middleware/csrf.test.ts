import test from 'ava';
import { startPeople } from '../../support/identity/people.ts';

const { api } = await startPeople();
const browser = api.browser();
await browser.signIn(await api.seed.person());
test.after.always(() => api.close());

test('a CSRF token is right in every character, its separator too', async (t) => {
  const page = await (await browser.get('/settings/profile')).text();
  const [, token = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? [];
  const statusOf = async (csrf: string) => {
    const form = { action: '/settings/profile', fields: { csrf, name: '' } };
    return (await browser.submit('/', form)).status;
  };
  t.not(await statusOf(token), 403);
  for (const wrong of [token.replace('.', 'x'), token.replace('.', '..'), `${token}.`, '.', '']) {
    t.is(await statusOf(wrong), 403, wrong);
  }
});

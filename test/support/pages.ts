// Every page there is, in a state worth looking at. A page that is added is one line more.
import type { Page } from 'playwright-core';
import { Purchase } from '../../domain/selling/purchase.entity.ts';
import { authorizePath } from './oauth.ts';
import { startPeople } from './people.ts';

export type Role = 'visitor' | 'person' | 'newcomer' | 'builder' | 'keyholder';

export type ShownPage = {
  name: string;
  as: Role;
  path: string;
  /** What is done on the page before it is looked at. */
  act?: (page: Page) => Promise<void>;
};

const LONG = 'A name of eighty characters, as long as names of clients may be, or very nearly so';

export async function startPages() {
  const people = await startPeople({
    host: 'localhost',
    limits: { authorize: 10_000, buy: 10_000 },
  });
  const { api } = people;
  const { builder, product, plain } = await openStore(people);
  const { person, purchaseId, client } = await usePlatform(people, { product, plain });
  const newcomer = await api.seed.person({ isEmailVerified: false });
  const keyholder = await api.seed.person();
  await addPasskey(api, keyholder.id);
  const { email } = await people.signUp();
  const verify = await people.linkTo(email, 'verify_email');
  await api.browser().submit('/forgot-password', { action: '/forgot-password', fields: { email } });
  const reset = await people.linkTo(email, 'reset_password');
  const clients = `/console/products/${product.slug}/clients`;

  const pages: ShownPage[] = [
    { name: 'store', as: 'visitor', path: '/' },
    { name: 'product', as: 'person', path: `/p/${product.slug}` },
    {
      name: 'product with a reason',
      as: 'visitor',
      path: `/p/${product.slug}?reason=currency_unknown`,
    },
    { name: 'product not for sale', as: 'visitor', path: `/p/${plain.slug}` },
    { name: 'sign-in', as: 'visitor', path: '/sign-in' },
    { name: 'sign-in refused', as: 'visitor', path: '/sign-in', act: refuseSignIn },
    { name: 'sign-up', as: 'visitor', path: '/sign-up' },
    { name: 'sign-up refused', as: 'visitor', path: '/sign-up', act: refuseSignUp },
    { name: 'sign-up with a passkey', as: 'visitor', path: '/sign-up/passkey' },
    { name: 'check mail', as: 'visitor', path: '/check-mail' },
    { name: 'verify address', as: 'visitor', path: verify },
    { name: 'dead link', as: 'visitor', path: '/verify-email?token=x' },
    { name: 'forgot password', as: 'visitor', path: '/forgot-password' },
    { name: 'reset password', as: 'visitor', path: reset },
    { name: 'consent', as: 'person', path: authorizePath(client) },
    { name: 'authorize refused', as: 'visitor', path: '/oauth/authorize?client_id=x' },
    { name: 'profile', as: 'person', path: '/settings/profile' },
    { name: 'profile refused', as: 'person', path: '/settings/profile', act: refuseProfile },
    { name: 'security', as: 'person', path: '/settings/security', act: openDetails },
    { name: 'security unconfirmed', as: 'newcomer', path: '/settings/security' },
    {
      name: 'security without a password',
      as: 'keyholder',
      path: '/settings/security',
      act: openDetails,
    },
    { name: 'connected apps', as: 'person', path: '/settings/apps' },
    { name: 'no connected apps', as: 'newcomer', path: '/settings/apps' },
    { name: 'purchases', as: 'person', path: '/settings/purchases' },
    { name: 'no purchases', as: 'newcomer', path: '/settings/purchases' },
    { name: 'delete account', as: 'person', path: '/settings/delete-account' },
    { name: 'delete account of an owner', as: 'builder', path: '/settings/delete-account' },
    { name: 'purchase', as: 'person', path: `/purchases/${purchaseId}` },
    { name: 'library', as: 'person', path: '/library' },
    { name: 'empty library', as: 'newcomer', path: '/library' },
    { name: 'console', as: 'builder', path: '/console' },
    { name: 'empty console', as: 'person', path: '/console' },
    { name: 'clients', as: 'builder', path: clients, act: openDetails },
    { name: 'clients refused', as: 'builder', path: clients, act: refuseClient },
    { name: 'API reference', as: 'visitor', path: '/docs', act: waitForReference },
    { name: 'not found', as: 'person', path: '/no-such-page' },
    { name: 'not allowed', as: 'newcomer', path: authorizePath(client) },
  ];

  return {
    people,
    pages,
    /** The cookies of somebody who plays the role. */
    async cookiesOf(role: Role) {
      if (role === 'visitor') return [];
      const browser = api.browser();
      await browser.signIn({ person, newcomer, builder, keyholder }[role]);
      if (role === 'keyholder') {
        await api.test.query('update person set password_hash = null where id = $1', [
          keyholder.id,
        ]);
      }
      return [...browser.cookies].map(([name, value]) => ({ name, value, url: api.url }));
    },
    close: () => api.close(),
  };
}

type People = Awaited<ReturnType<typeof startPeople>>;

async function openStore({ api }: People) {
  const builder = await api.seed.person({ isBuilder: true });
  const { id: account } = await api.processor.createPayoutAccount({ email: builder.email });
  await api.seed.payoutAccount(builder, { account });
  const prices = { USD: 1_250, BRL: 5_900, EUR: 1_150 };
  const product = await api.seed.product({ owner: builder, name: 'Paper Trail', prices });
  await api.seed.product({ owner: builder, name: 'Included', includedWithMember: true });
  await api.seed.product({ owner: builder, name: LONG });
  const plain = await api.seed.product({ name: 'Not for sale' });
  const redirectUris = [
    'https://app.example/callback',
    `https://app.example/${'long/'.repeat(30)}`,
  ];
  await api.seed.client({ product, name: 'Web', redirectUris });
  const idle = await api.seed.client({ product, kind: 'native', name: LONG.slice(0, 80) });
  await api.test.query('update oauth_client set disabled_at = now() where id = $1', [
    idle.clientId,
  ]);
  await api.seed.endpoint({ productId: product.id, url: 'https://hooks.example/gatehouse/in' });
  return { builder, product, plain };
}

type Products = Record<'product' | 'plain', { id: string; slug: string }>;

/** Somebody who has bought, signed in to an app, and been given something. */
async function usePlatform({ api }: People, { product, plain }: Products) {
  const person = await api.seed.person();
  const client = await api.seed.client({ product, name: 'Paper Trail for the web' });
  await api.seed.token({ product, person, clientId: client.clientId });
  const browser = api.browser();
  await browser.signIn(person);
  await browser.get(`/buy/${product.slug}`);
  const em = api.database.em();
  const { id: purchaseId } = await em.findOneOrFail(Purchase, { personId: person.id });
  await em.nativeUpdate(Purchase, { id: purchaseId }, { status: 'cleared', clearedAt: new Date() });
  await api.seed.grant({ productId: product.id, personId: person.id });
  const week = { type: 'complimentary', endsAt: new Date(Date.now() + 604_800_000) } as const;
  await api.seed.grant({ productId: plain.id, personId: person.id }, week);
  await addPasskey(api, person.id);
  return { person, purchaseId, client };
}

async function addPasskey({ test }: People['api'], personId: string): Promise<void> {
  await test.query(
    `insert into passkey (credential_id, id, person_id, public_key, counter, transports, name)
     values (gen_random_uuid()::text, gen_random_uuid(), $1, '', 0, '{internal}', 'My laptop')`,
    [personId],
  );
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function refuseSignIn(page: Page) {
  await page.getByLabel('E-mail').fill('nobody@example.com');
  await page.getByLabel('Password').fill('wrong');
  await press(page, 'Sign in');
  await page.locator('#problem').waitFor();
}

async function refuseSignUp(page: Page) {
  await page.getByLabel('E-mail').fill('nobody@example');
  await page.getByLabel('Handle').fill('N!');
  await page.getByLabel('Display name').fill('Nobody');
  await page.getByLabel('Password').fill('short');
  await press(page, 'Sign up');
  await page.locator('#password-problem').waitFor();
}

async function refuseProfile(page: Page) {
  await page.getByLabel('Handle').fill('N!');
  await press(page, 'Save');
  await page.locator('#handle-problem').waitFor();
}

async function refuseClient(page: Page) {
  await page.getByLabel('Name').fill('Web');
  await page.getByLabel('Redirect URIs').last().fill('http://app.example/cb\nnonsense');
  await press(page, 'Create client');
  await page.locator('#redirect_uris-problem').waitFor();
}

async function openDetails(page: Page) {
  for (const summary of await page.locator('summary').all()) await summary.click();
}

async function waitForReference(page: Page) {
  await page.locator('.opblock').first().waitFor();
}

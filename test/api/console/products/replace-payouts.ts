import test from 'ava';
import { recordPayoutStatus } from '../../../../domain/catalog/payouts/payout-account.repository.ts';
import { replacePayoutAccount } from '../../../../domain/catalog/payouts/payout-account.command.ts';
import { noticeOf } from '../../../support/http/arrival.ts';
import { teams, away } from './scene.ts';

const { api } = teams;

type Signed = Awaited<ReturnType<typeof teams.signedIn>>;
type Slug = { slug: string };

const pathOf = ({ slug }: Slug) => `/console/products/${slug}/selling/payouts/replace`;
const replace = ({ browser }: Signed, product: Slug, account: string) =>
  browser.submit('/console/roles', { action: pathOf(product), fields: { account } });

/** A team that sells a product, and its account, which somebody connected. */
async function scene() {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team, { prices: { USD: 1_250 } });
  const account = `acct_${product.slug}`;
  await api.test.query(
    `insert into payout_account (id, team_id, processor_account, can_charge, pool_confirmed_at,
       pool_confirmed_by) values (gen_random_uuid(), $1, $2, true, gatehouse_now(), $3)`,
    [team.id, account, team.members.owner.person.id],
  );
  const accounts = () =>
    api.test.query<{ account: string; can: boolean; replaced: boolean; confirmed: boolean }>(
      `select processor_account as account, can_charge as can, replaced_at is not null as replaced,
         pool_confirmed_at is not null as confirmed
       from payout_account where team_id = $1 order by created_at, id`,
      [team.id],
    );
  const current = async () => (await accounts()).filter(({ replaced }) => !replaced);
  return { team, product, account, accounts, current, ...team.members };
}

const buy = async ({ slug }: Slug) => (await api.request(`/buy/${slug}`)).headers.get('location');

test('an owner replaces the payout account: the old one stops at once, the new one is set up', async (t) => {
  const { team, product, account, accounts, owner, finance, viewer } = await scene();
  t.is(await buy(product), '/sign-in');
  const settings = `/console/products/${product.slug}/selling`;
  const link = new RegExp(`href="${pathOf(product)}"`);
  t.regex(await (await owner.browser.get(settings)).text(), link);
  t.notRegex(await (await viewer.browser.get(settings)).text(), link);
  const asked = await (await owner.browser.get(pathOf(product))).text();
  t.true(asked.includes(account));
  t.regex(asked, /nobody can buy your products until the new account is ready/);
  const response = await replace(owner, product, account);
  t.is(response.status, 303);
  t.regex(response.headers.get('location')!, /\/connect\//);
  const [old, made] = await accounts();
  t.deepEqual(old, { account, can: true, replaced: true, confirmed: true });
  t.like(made, { can: false, replaced: false, confirmed: false });
  t.is(await buy(product), `/p/${product.slug}?reason=payouts_not_ready`);
  const page = await (await owner.browser.get(settings)).text();
  t.true(page.includes(made!.account) && !page.includes(account));
  t.regex(page, /nobody can buy your products/);
  const [entry] = await teams.trailOf(team.id);
  t.like(entry, { action: 'payouts.replaced', subject: made!.account });
  t.like(entry, { detail: { replaced: account }, actor_id: owner.person.id });
  const mails = async ({ person }: Signed) =>
    (await teams.mailsTo(person.email)).map(({ purpose }) => purpose);
  t.deepEqual(await mails(owner), ['payouts_connected']);
  t.deepEqual(await mails(finance), []);
});

test('the roles that connect a payout account replace it, and no other', async (t) => {
  const { product, account, accounts, ...members } = await scene();
  for (const member of [members.admin, members.developer, members.viewer]) {
    t.is((await replace(member, product, account)).status, 403);
    t.is((await member.browser.get(pathOf(product))).status, 403);
  }
  t.is((await accounts()).length, 1);
  t.is((await replace(members.finance, product, account)).status, 303);
  t.is((await accounts()).length, 2);
});

test('a verified builder without a team replaces the own account', async (t) => {
  const builder = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: builder.person });
  const [account, stranger] = [`acct_${product.slug}`, await teams.signedIn()];
  await api.seed.payoutAccount(builder.person, { account });
  t.is((await replace(stranger, product, account)).status, 404);
  t.regex((await replace(builder, product, account)).headers.get('location')!, /\/connect\//);
});

test('a replacement replaces the account that its page showed', async (t) => {
  const { product, account, current, accounts, owner } = await scene();
  await replace(owner, product, account);
  const [second] = await current();
  t.is(noticeOf(await replace(owner, product, account)), 'unchanged');
  t.deepEqual(await current(), [second!]);
  await replace(owner, product, second!.account);
  t.is((await accounts()).length, 3, 'each replacement makes a new account');
  t.is((await current()).length, 1);
});

test('of many replacements at once one is made', async (t) => {
  const { product, account, accounts, current, owner, finance } = await scene();
  const answers = await Promise.all(
    [owner, finance, owner, finance, owner].map((by) => replace(by, product, account)),
  );
  for (const { status } of answers) t.is(status, 303);
  t.is((await accounts()).length, 2);
  t.is((await current()).length, 1);
});

const command = (
  { product, owner, account }: { product: { id: string }; owner: Signed; account: string },
  made: string,
) =>
  api.database.transaction((em) =>
    replacePayoutAccount(em, {
      productId: product.id,
      replaced: account,
      account: made,
      canCharge: true,
      isSubmitted: true,
      by: { personId: owner.person.id, ip: null },
    }),
  );

test('of two replacements that got an account each, the second is refused', async (t) => {
  const team = await scene();
  const outcomes = await Promise.all(['a', 'b'].map((name) => command(team, team.account + name)));
  t.is(outcomes.filter((outcome) => 'account' in outcome).length, 1);
  t.deepEqual(
    outcomes.filter((outcome) => 'refused' in outcome),
    [{ refused: 'not_current' }],
  );
  t.is((await team.current()).length, 1);
});

test('who has lost the role meanwhile replaces nothing', async (t) => {
  const team = await scene();
  const outcome = await command({ ...team, owner: team.developer }, `${team.account}_theirs`);
  t.deepEqual(outcome, { refused: 'not_allowed' });
  t.is((await team.accounts()).length, 1);
});

test('a late answer about a replaced account changes neither account', async (t) => {
  const team = await scene();
  await replace(team.owner, team.product, team.account);
  const before = await team.accounts();
  for (const canCharge of [false, true]) {
    const status = { account: team.account, canCharge, isSubmitted: true, askedAt: new Date() };
    t.is(await api.database.transaction((em) => recordPayoutStatus(em, status)), null);
  }
  t.deepEqual(await team.accounts(), before);
});

test('while the processor is away the account is not replaced', async (t) => {
  const { browser, person } = await away.signedIn(await away.api.seed.person({ isBuilder: true }));
  const product = await away.api.seed.product({ owner: person });
  const account = `acct_${product.slug}`;
  await away.api.seed.payoutAccount(person, { account });
  const response = await replace({ browser, person }, product, account);
  t.is(noticeOf(response), 'processor_unavailable');
  const kept = await away.api.test.query(
    'select 1 from payout_account where person_id = $1 and replaced_at is null',
    [person.id],
  );
  t.is(kept.length, 1);
});

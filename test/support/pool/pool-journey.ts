// The whole platform, a browser without JavaScript, and what people do in a month of the pool.
import type { Browser, Page } from 'playwright-core';
import { setMemberPrice } from '../../../domain/billing/memberships/member-price.repository.ts';
import { poolPeriodWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';
import { listen } from '../../../platform/http-server.ts';
import type { SeedPerson, SeedProduct } from '../catalog/seed.ts';
import { report } from '../catalog/usage.ts';
import { skipTime } from '../engines/clock.ts';
import type { TestDatabase } from '../engines/database.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';
import { eventually } from '../eventually.ts';
import type { TestApi } from '../http/api.ts';
import { authorizePath, exchange, type Client } from '../identity/oauth.ts';
import { startPeople } from '../identity/people.ts';
import { startPostOffice } from '../identity/post-office.ts';
import { fillSignIn, follow, launchChromium, typeCard } from '../pages/chromium.ts';
import { CARDS } from '../purchases/simulator.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];
const HOUR_MS = 3_600_000;

type Fee = { currency: string; amountMinor: number };

/** In the middle of a month, with Member on sale in one currency. */
export async function startPoolJourney({ currency, amountMinor }: Fee) {
  const limits = { buy: 10_000, authorize: 10_000, token: 10_000 };
  const people = await startPeople({ host: 'localhost', limits });
  const { api } = people;
  const taskQueues = ['money', 'access', 'mail', 'upkeep'] as const;
  const office = await startPostOffice({ ...people, taskQueues: [...taskQueues] });
  const browser = await launchChromium();
  const app = await startApp();
  const operator = await api.seed.person({ isOperator: true });
  await goToTheMiddle(api.test);
  await api.test.query('insert into enabled_currency (currency) values ($1)', [currency]);
  const price = { currency, billingInterval: 'month', amountMinor, byId: operator.id } as const;
  await api.database.transaction((em) => setMemberPrice(em, price));
  const newPage = () => openPage(browser, api.url);
  return {
    api,
    operator,
    addCreator: (name: string) => addCreator(api, { name, redirectUri: app.redirectUri }),
    /** An earlier payout to this creator was confirmed. */
    confirm: ({ id }: SeedPerson) =>
      api.test.query(
        `update payout_account set pool_confirmed_at = gatehouse_now(), pool_confirmed_by = $2
         where person_id = $1`,
        [id, operator.id],
      ),
    async signedIn(person: SeedPerson): Promise<Page> {
      const page = await newPage();
      await page.goto('/sign-in');
      await fillSignIn(page, person);
      return page;
    },
    becomeMember: async (person: SeedPerson) => becomeMember(await newPage(), person),
    useProduct: (page: Page, client: Client) => useProduct(api, { page, client }),
    passMonth: (periodId: string) => passMonth(office.stage, periodId),
    untilStatus: (periodId: string, wanted: string) =>
      eventually(
        () => statusOf(api.test, periodId),
        (status) => status === wanted,
      ),
    async close() {
      await browser.close();
      await app.close();
      await office.close();
      await api.close();
    },
  };
}

async function openPage(browser: Browser, baseURL: string): Promise<Page> {
  const viewport = { width: 1_000, height: 800 };
  const context = await browser.newContext({ baseURL, viewport, javaScriptEnabled: false });
  return context.newPage();
}

async function becomeMember(page: Page, person: SeedPerson): Promise<Page> {
  await page.goto('/member');
  await follow(page, page.getByRole('link', { name: 'Subscribe for' }));
  await fillSignIn(page, person);
  await typeCard(page, CARDS.succeeds);
  const isMember = async () => {
    // A page that waits for the payment loads itself again, which may end this visit.
    await page.goto('/member').catch(() => null);
    return page.locator('[data-status=active]').count();
  };
  await eventually(isMember, (found) => found === 1);
  return page;
}

/** Signs in to the product, which reports the use with the person's token. */
async function useProduct(
  api: TestApi,
  { page, client }: { page: Page; client: Client },
): Promise<object> {
  await page.goto(authorizePath(client));
  await follow(page, page.getByRole('button', { name: 'Allow', exact: true }));
  const code = new URL(page.url()).searchParams.get('code')!;
  const answer = await exchange(api, { client, code });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return (await (await report(api, token, { kind: 'activity' })).json()) as object;
}

/** Where people come back to from the consent page. */
async function startApp() {
  const listener = await listen((_, response) => response.end('Signed in'), {
    hosts: ['127.0.0.1'],
    port: 0,
  });
  return {
    redirectUri: `http://127.0.0.1:${listener.port}/callback`,
    async close() {
      for (const server of listener.servers) server.closeAllConnections();
      await listener.close();
    },
  };
}

export type Creator = { owner: SeedPerson; product: SeedProduct; client: Client };

/** With an Included product and a payout account. */
async function addCreator(
  api: TestApi,
  { name, redirectUri }: { name: string; redirectUri: string },
): Promise<Creator> {
  const owner = await api.seed.person({ isBuilder: true });
  const account = await openReadyAccount(api.processor, owner.email);
  await api.seed.payoutAccount(owner, { account });
  const product = await api.seed.product({ owner, name, includedWithMember: true });
  const client = await api.seed.client({ product, redirectUris: [redirectUri] });
  return { owner, product, client };
}

/** Far enough from the month's end for days of use; the month paid for ends after the freeze. */
async function goToTheMiddle({ query, advance }: TestDatabase): Promise<void> {
  const [row] = await query<{ now: Date }>('select gatehouse_now() as now');
  const now = row!.now;
  const wanted = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15, 12);
  await advance(wanted - now.getTime());
}

/** The month ends, and 72 hours more, for the database and for the workflow of the month. */
async function passMonth(stage: Stage, periodId: string): Promise<void> {
  const { client, prefix, testDatabase } = stage;
  const run = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}poolMonths` };
  await client.workflow.execute('poolMonths', run);
  const { workflowId } = poolPeriodWorkflow(periodId);
  const waits = await untilWaiting(client, { workflowId, timers: 1 });
  const milliseconds = waits.at(-1)! + HOUR_MS;
  await testDatabase.advance(milliseconds);
  await skipTime({ client, workflowId, milliseconds });
}

async function statusOf({ query }: TestDatabase, periodId: string): Promise<string | undefined> {
  const sql = 'select status from pool_period where id = $1';
  return (await query<{ status: string }>(sql, [periodId]))[0]?.status;
}

/** The cells of a table's rows, as they are read. */
export const cellsOf = (page: Page, label: string): Promise<string[][]> =>
  page
    .getByRole('region', { name: label })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('td')].map((cell) =>
          [...cell.querySelectorAll('svg')]
            .reduce(
              (rest, { textContent }) => rest.replace(textContent?.trim() ?? '', ''),
              cell.innerText,
            )
            .replaceAll(/\s+/g, ' ')
            .trim(),
        ),
      ),
    );

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/pool-${name}.png`, fullPage: true });
}

import type pg from 'pg';
import { newSecret } from '../../../domain/shared/ids.ts';
import type { AccountLinkParameters } from '../api/parameters.ts';
import { transaction, type Queryable, type Transaction } from '../database.ts';
import { recordObject } from './event.repository.ts';
import {
  presentAccount,
  type AccountLinkRow,
  type AccountRow,
  type AccountState,
} from '../stripe-accounts.ts';

// Stripe's links last a few minutes, too.
const LINK_MINUTES = 5;

const LINKS = `
  select *, used_at is not null or expires_at <= gatehouse_now() as is_over
  from simulator.account_link`;

export async function findAccount(db: Queryable, id: string): Promise<AccountRow | undefined> {
  const found = await db.query<AccountRow>('select * from simulator.account where id = $1', [id]);
  return found.rows[0];
}

/** The account can charge once its owner has been through the pages that a link leads to. */
export async function insertAccount(db: Queryable, email: string): Promise<AccountRow> {
  const made = await db.query<AccountRow>(
    `insert into simulator.account (id, email, state) values ($1, $2, 'new') returning *`,
    [`acct_${newSecret().slice(0, 24)}`, email],
  );
  return made.rows[0]!;
}

export async function insertAccountLink(
  db: Queryable,
  { account, refresh_url, return_url }: AccountLinkParameters,
): Promise<AccountLinkRow> {
  const token = newSecret();
  await db.query(
    `insert into simulator.account_link (token, account_id, refresh_url, return_url, expires_at)
     values ($1, $2, $3, $4, gatehouse_now() + $5 * interval '1 minute')`,
    [token, account, refresh_url, return_url, LINK_MINUTES],
  );
  return (await findAccountLink(db, token))!;
}

export async function findAccountLink(
  db: Queryable,
  token: string,
): Promise<AccountLinkRow | undefined> {
  return (await db.query<AccountLinkRow>(`${LINKS} where token = $1`, [token])).rows[0];
}

/** False where the link was over: of two clicks one counts. */
export function finishOnboarding(
  pool: pg.Pool,
  { token, state }: { token: string; state: AccountState },
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const used = await client.query<{ account_id: string }>(
      `update simulator.account_link set used_at = gatehouse_now()
       where token = $1 and used_at is null and expires_at > gatehouse_now() returning account_id`,
      [token],
    );
    const accountId = used.rows[0]?.account_id;
    if (accountId === undefined) return false;
    await setAccountState(client, { id: accountId, state });
    return true;
  });
}

/** Returns undefined for an account that does not exist. */
export async function setAccountState(
  client: Transaction,
  { id, state }: { id: string; state: AccountState },
): Promise<AccountRow | undefined> {
  const changed = await client.query<AccountRow & { read_at: Date }>(
    `update simulator.account set state = $2 where id = $1
     returning *, simulator.now() as read_at`,
    [id, state],
  );
  const account = changed.rows[0];
  if (!account) return undefined;
  const object = presentAccount(account);
  await recordObject(client, { type: 'account.updated', at: account.read_at, object });
  return account;
}

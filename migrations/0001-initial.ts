import { Migration } from '@mikro-orm/migrations';
import { catalog } from './initial/catalog.ts';
import { entitlements } from './initial/entitlements.ts';
import { identity } from './initial/identity.ts';
import { oauth } from './initial/oauth.ts';
import { payments } from './initial/payments.ts';
import { platform } from './initial/platform.ts';
import { processor } from './initial/processor.ts';
import { purchases } from './initial/purchases.ts';
import { sql } from './initial/sql.ts';
import { teams } from './initial/teams.ts';
import { usage } from './initial/usage.ts';
import { webhooks } from './initial/webhooks.ts';

// Every statement reads the time from this function, so that a test can move it.
const clock = sql`create function gatehouse_now() returns timestamptz language sql stable parallel safe
  as $$ select date_trunc('milliseconds', statement_timestamp()) $$`;

/** The subjects stand in the order of their foreign keys. */
export class Initial extends Migration {
  override up(): void {
    this.addSql(clock);
    for (const statement of SUBJECTS.flat()) this.addSql(statement);
  }
}

const SUBJECTS = [
  identity,
  teams,
  catalog,
  oauth,
  webhooks,
  entitlements,
  usage,
  purchases,
  payments,
  processor,
  platform,
];

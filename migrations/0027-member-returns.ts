import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class MemberReturns extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // As of a grant: money that is back has taken what it paid for, and may bring it again.
  sql`alter table membership add withdrawn_at timestamptz(3)`,
  sql`alter table membership_change
    drop constraint membership_change_reason_check,
    add constraint membership_change_reason_check check (reason in
      ('granted', 'cancelled', 'resumed', 'renewed', 'elapsed', 'withdrawn', 'refunded'))`,
];

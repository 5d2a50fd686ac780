import { Migration } from '@mikro-orm/migrations';

/** Accounts that nobody has confirmed are found by their age. */
export class UnconfirmedAccounts extends Migration {
  override up(): void {
    this.addSql(`create index person_unconfirmed on person (created_at)
      where email_verified_at is null and deleted_at is null`);
  }
}

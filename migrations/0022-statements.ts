import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Statements extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Whose sale an entry is about, so that a statement reads one stretch of one index; and which dispute.
  sql`alter table ledger_entry
    add product_id uuid references product,
    add dispute_id text references dispute,
    drop constraint ledger_entry_kind_check,
    add constraint ledger_entry_kind_check check (kind in (
      'gross', 'cut', 'refund', 'reversal', 'chargeback', 'cut_returned', 'loss', 'dispute_fee'
    ))`,
  // What was written before knows its product by its payment: nothing else of it changes.
  sql`alter table ledger_entry disable trigger ledger_is_kept`,
  sql`update ledger_entry e set product_id = u.product_id
    from payment p join purchase u on u.id = p.purchase_id where p.id = e.payment_id`,
  sql`alter table ledger_entry enable trigger ledger_is_kept`,
  sql`create index ledger_entry_statement on ledger_entry (product_id, created_at, id)
    include (currency, kind, amount_minor) where account = 'seller'`,
  sql`create index ledger_entry_dispute on ledger_entry (dispute_id) where dispute_id is not null`,
  // Up to when a list of the processor has been read: the next look starts a little before.
  sql`create table processor_mark (
    processor text not null,
    list text not null,
    seen_until timestamptz(3) not null,
    primary key (processor, list)
  )`,
  // Payout accounts that the processor speaks of wait for a look at them.
  sql`create index processor_event_account on processor_event (received_at, id)
    where type = 'account.updated' and handled_at is null and dead_letter_reason is null`,
];

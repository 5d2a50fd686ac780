import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Receipts extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // What the buyer was told when the money had cleared: names as they were then.
  sql`create table receipt (
    purchase_id text primary key references purchase,
    product_name text not null,
    seller_name text not null,
    gross_minor bigint not null check (gross_minor > 0),
    currency char(3) not null,
    issued_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`insert into receipt (purchase_id, product_name, seller_name, gross_minor, currency, issued_at)
    select u.id, p.name, coalesce(t.name, o.display_name), c.amount_minor, c.currency, u.cleared_at
    from purchase u
    join checkout c on c.id = u.checkout_id
    join product p on p.id = u.product_id
    left join person o on o.id = p.owner_person_id
    left join team t on t.id = p.owner_team_id
    where u.cleared_at is not null`,
  sql`alter table mail_token
    add purchase_id text references purchase,
    add constraint mail_token_receipt check (
      (purpose = 'purchase_receipt') = (purchase_id is not null)
    )`,
  sql`create unique index mail_token_purchase on mail_token (purchase_id)
    where purchase_id is not null`,
  // What a product page shows.
  sql`create index offer_of_product on offer (product_id) where retired_at is null`,
  // A person's purchases, the latest first.
  sql`create index purchase_of_person on purchase (person_id, id)`,
];

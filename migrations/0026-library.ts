import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Library extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const IS_RECEIVED = sql`y.status in ('succeeded', 'partially_refunded', 'refunded')`;

const statements = [
  // Of each period that was paid for beside a purchase: renewals, and all of Member.
  sql`create table charge_receipt (
    payment_id text primary key references payment,
    product_name text not null,
    seller_name text not null,
    gross_minor bigint not null check (gross_minor > 0),
    currency char(3) not null,
    issued_at timestamptz(3) not null default gatehouse_now()
  )`,
  // What went back because it was never an order has none.
  sql`insert into charge_receipt
      (payment_id, product_name, seller_name, gross_minor, currency, issued_at)
    select y.id, coalesce(p.name, 'Member'), coalesce(t.name, o.display_name, 'Gatehouse'),
      y.gross_minor, y.currency, y.created_at
    from payment y
    left join subscription s on s.id = y.subscription_id
    left join product p on p.id = s.product_id
    left join person o on o.id = p.owner_person_id
    left join team t on t.id = p.owner_team_id
    where ${IS_RECEIVED} and y.period_start is not null
      and not exists (
        select from refund r where r.payment_id = y.id and r.reason = 'not_as_agreed')
      and (y.membership_id is not null or exists (
        select from payment z where z.subscription_id = y.subscription_id
          and z.period_start < y.period_start))`,
  sql`alter table mail_token
    add payment_id text references payment,
    add constraint mail_token_charge_receipt check (
      (purpose = 'charge_receipt') = (payment_id is not null)
    )`,
  sql`create unique index mail_token_payment on mail_token (payment_id)
    where payment_id is not null`,
  // Member opens what is sold and checked here; nothing else knows of it.
  sql`update product set included_with_member = false where delivery <> 'entitlement_api'`,
  sql`alter table product add constraint product_included
    check (not included_with_member or delivery = 'entitlement_api')`,
  sql`create index product_included on product (listed_at desc, id) where included_with_member`,
];

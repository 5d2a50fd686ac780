import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Catalogue extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const QUALIFIED = `select m.person_id from team_member m
  where m.team_id = product.owner_team_id and m.role in ('owner', 'finance')
  order by m.role <> 'owner', m.created_at, m.person_id limit 1`;

const statements = [
  // Who answers for the sales is somebody by name; until now it was whoever could have.
  sql`alter table product
    add commercial_operator_id uuid references person,
    add settled_at timestamptz(3)`,
  sql`update product set commercial_operator_id = coalesce(owner_person_id, (${QUALIFIED}))`,
  sql`update product set settled_at = gatehouse_now() where state = 'removed'`,
  sql`create index product_removed on product (id, settled_at) where state = 'removed'`,
  sql`create index product_slug_start on product_slug (slug collate "C") where is_current`,
  sql`create index product_slug_product on product_slug (product_id)`,
  // A price is retired once; whatever else it says was agreed with somebody.
  sql`create function keep_price() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.retired_at is null
        and to_jsonb(new) - 'retired_at' = to_jsonb(old) - 'retired_at' then
        return new;
      end if;
      raise exception 'prices are never edited or removed' using errcode = 'restrict_violation';
    end $$`,
  sql`create trigger price_is_kept before update or delete on price
    for each row execute function keep_price()`,
  sql`create index price_offer on price (offer_id, created_at, id)`,
  sql`create index offer_product on offer (product_id)`,
  sql`create table enabled_currency (
    currency char(3) primary key check (currency ~ '^[A-Z]{3}$'),
    enabled_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`insert into enabled_currency (currency) values ('USD'), ('BRL'), ('EUR'), ('GBP')`,
  // The newest row holds, the others are its history.
  sql`create table platform_fee (
    id bigint generated always as identity primary key,
    basis_points integer not null check (basis_points between 0 and 10000),
    since timestamptz(3) not null default gatehouse_now(),
    set_by uuid references person
  )`,
  sql`insert into platform_fee (basis_points, since) values (1000, to_timestamp(0))`,
  // A checkout keeps the fee that held when it was made: what the processor is told is what is booked.
  sql`create function platform_fee_now() returns integer language sql stable
    as $$ select basis_points from platform_fee order by id desc limit 1 $$`,
  sql`alter table checkout
    add fee_basis_points integer not null default platform_fee_now()
      check (fee_basis_points between 0 and 10000)`,
  sql`alter table payout_account
    add is_submitted boolean not null default false,
    add checked_at timestamptz(3)`,
];

// Functions and triggers that no statement of the application can go around.
import { sql } from './sql.ts';

const prices = [
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
];

// Evidence earns money: a mask of days gains bits and loses none.
const evidence = [
  sql`create function keep_evidence() returns trigger language plpgsql as $$
    begin
      raise exception 'a day of evidence stays' using errcode = 'restrict_violation';
    end $$`,
  sql`create trigger usage_month_only_gains before update on usage_month
    for each row when (((old.session_days & ~new.session_days)
      | (old.heartbeat_days & ~new.heartbeat_days) | (old.activity_days & ~new.activity_days)
      | (old.profile_read_days & ~new.profile_read_days) | (old.key_days & ~new.key_days)
      | (old.qualifying_days & ~new.qualifying_days)) <> 0)
    execute function keep_evidence()`,
];

// The pool asks in which days a product was Included, and a person belonged to a team. Only the
// triggers write that: they run with the rights of the owner. Of two statements the one that has
// waited for the other's row may have begun before it, so no span ends before its start.
const spans = [
  sql`create function note_included_span() returns trigger language plpgsql
    security definer set search_path = public, pg_temp as $$
    begin
      update included_span set ended_at = greatest(gatehouse_now(), started_at)
        where product_id = new.id and ended_at is null and not new.included_with_member;
      insert into included_span (product_id)
        select new.id where new.included_with_member;
      return null;
    end $$`,
  sql`create trigger product_begins_included after insert on product
    for each row when (new.included_with_member) execute function note_included_span()`,
  sql`create trigger product_switches_included after update of included_with_member on product
    for each row when (old.included_with_member <> new.included_with_member)
    execute function note_included_span()`,
  sql`create function note_team_stay() returns trigger language plpgsql
    security definer set search_path = public, pg_temp as $$
    begin
      insert into team_stay (team_id, person_id, started_at, ended_at)
        values (old.team_id, old.person_id, old.created_at,
          greatest(gatehouse_now(), old.created_at));
      return null;
    end $$`,
  sql`create trigger team_member_leaves after delete on team_member
    for each row execute function note_team_stay()`,
];

const ledger = [
  sql`create function keep_ledger() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is only added to' using errcode = 'insufficient_privilege';
    end $$`,
  sql`create trigger ledger_is_kept before update or delete on ledger_entry
    for each row execute function keep_ledger()`,
  sql`create trigger ledger_is_not_emptied before truncate on ledger_entry
    for each statement execute function keep_ledger()`,
  sql`create function balance_booking() returns trigger language plpgsql as $$
    begin
      if exists (select 1 from ledger_entry where booking = new.booking
        group by currency having sum(amount_minor) <> 0) then
        raise exception 'booking % does not sum to zero', new.booking
          using errcode = 'check_violation';
      end if;
      return null;
    end $$`,
  // A booking is several rows, so the end of the transaction decides.
  sql`create constraint trigger ledger_is_balanced after insert on ledger_entry
    deferrable initially deferred for each row execute function balance_booking()`,
];

// The table is append only for every role, its owner included.
const audit = [
  sql`create function keep_audit() returns trigger language plpgsql as $$
    begin
      raise exception 'audit rows are never changed or removed' using errcode = 'restrict_violation';
    end $$`,
  sql`create trigger audit_is_kept before update or delete on audit
    for each row execute function keep_audit()`,
  sql`create trigger audit_is_not_emptied before truncate on audit
    for each statement execute function keep_audit()`,
];

export const rules = [...prices, ...evidence, ...spans, ...ledger, ...audit];

export const TRANSFERS_SCHEMA = `
alter table simulator.account drop constraint if exists account_state_check;
alter table simulator.account add constraint account_state_check
  check (state in ('new', 'in_review', 'enabled', 'closed'));

-- Money of the platform on its way to the account of a seller. The platform's balance is not kept.
create table if not exists simulator.transfer (
  id text primary key,
  account_id text not null references simulator.account,
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  transfer_group text,
  metadata jsonb not null,
  created_at timestamptz not null default simulator.now()
);
create index if not exists transfer_of_group on simulator.transfer (transfer_group);

-- What happens to the next transfers instead of being made and answered at once.
create table if not exists simulator.transfer_knob (
  only_one boolean primary key default true check (only_one),
  fate text not null default 'make',
  transfers_left integer not null default 0,
  seconds double precision not null default 0
);
insert into simulator.transfer_knob default values on conflict do nothing;
`;

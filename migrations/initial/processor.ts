import { sql } from './sql.ts';

export const processor = [
  sql`create table processor_event (
    processor text not null,
    id text not null,
    type text not null,
    purchase_id text references purchase,
    subscription_id text references subscription,
    membership_id uuid references membership,
    body jsonb not null,
    received_at timestamptz(3) not null default gatehouse_now(),
    handled_at timestamptz(3),
    dead_letter_reason text,
    -- An operator decided that the event is not followed, for the reason in the note.
    set_aside_at timestamptz(3),
    set_aside_by uuid references person,
    set_aside_note text check (length(set_aside_note) between 1 and 500),
    primary key (processor, id),
    constraint processor_event_set_aside check (
      num_nonnulls(set_aside_at, set_aside_by, set_aside_note) in (0, 3)
      and (set_aside_at is null or handled_at is not null)
    )
  )`,
  sql`create index processor_event_open on processor_event (purchase_id) where handled_at is null`,
  sql`create index processor_event_of_subscription on processor_event (subscription_id)
    where subscription_id is not null and handled_at is null`,
  sql`create index processor_event_of_membership on processor_event (membership_id)
    where membership_id is not null and handled_at is null`,
  sql`create index processor_event_dead_lettered on processor_event (received_at, id)
    where dead_letter_reason is not null and handled_at is null`,
  sql`create index processor_event_waiting on processor_event (received_at)
    where handled_at is null and dead_letter_reason is null`,
  sql`create index processor_event_handled on processor_event (handled_at) where handled_at is not null`,
  sql`create index processor_event_account on processor_event (received_at, id)
    where type = 'account.updated' and handled_at is null and dead_letter_reason is null`,
  // A list of the processor has been read up to here; the next read begins a little earlier.
  sql`create table processor_mark (
    processor text not null,
    list text not null,
    seen_until timestamptz(3) not null,
    primary key (processor, list)
  )`,
];

import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class CheckBatches extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const LISTS = ['product_ids', 'person_ids', 'are_known', 'checks'];

const statements = [
  // What one process counted within a moment, until it is added up: one row is appended where hundreds
  // would be counted up.
  sql`create table check_batch (
    id bigint generated always as identity primary key,
    day date not null,
    product_ids uuid[] not null,
    person_ids uuid[] not null,
    are_known boolean[] not null,
    checks integer[] not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  // Random numbers cannot be compressed; trying to costs more than all else of it.
  ...LISTS.map((list) => `alter table check_batch alter column ${list} set storage external`),
];

import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class PersonImage extends Migration {
  override up(): void {
    this.addSql(sql`alter table person add column image_name text`);
    // Apart from the person, who is read all the time.
    this.addSql(sql`create table person_image (
      person_id uuid primary key references person,
      bytes bytea not null
    )`);
  }
}

// A store of 100,000 listed products, whose words are as common as words are: few in many texts.
import type pg from 'pg';
import { personId } from './people.ts';

export const STORE_PRODUCTS = 100_000;
const VOCABULARY = 20_000;
/** Descriptions are made of phrases: a look-up for each word of them would take minutes. */
const PHRASES = 50_000;
const PHRASE_WORDS = 12;
const PHRASES_OF_ONE = 9;
const TAGLINE_WORDS = 7;

const storeId = (n: string) => `('01900000-0000-7000-c000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** A word that so many products have; one in ten in the name, three in the tagline. */
const MARKED = { fifty: 50, thousand: 1_000, tenthousand: 10_000, most: 80_000 };

/** Words of syllables: no two are alike, and many begin alike. */
const WORD = (n: string) =>
  `(array['ba','ce','di','fo','gu','ka','le','mi','no','pu','ra','se','ti','vo','zu','sha','tre','kli','pro','stu'])[${n} % 20 + 1]
   || (array['ran','lek','min','dor','sut','bal','ven','rik','tom','nul'])[${n} / 20 % 10 + 1]
   || (array['a','eo','ing','er','ix','on','al','ive','um','s'])[${n} / 200 % 10 + 1]
   || case when ${n} >= 2000 then (array['', 'ta','ne','ly','ro','gi','mo','we','ku','lo'])[${n} / 2000 % 10 + 1] else '' end`;

const PLACES = Object.entries(MARKED).map(
  ([word, products]) =>
    `case when place * ${products} / ${STORE_PRODUCTS} <> (place + 1) * ${products} / ${STORE_PRODUCTS}
       then '${word}' else '' end as ${word}`,
);

const VECTOR = (text: string) => `strip(to_tsvector('simple', ${text}))`;

const words = Object.keys(MARKED);
const inName = words.map((word) => `case when n % 10 = 0 then ' ' || ${word} else '' end`);
const inTagline = words.map(
  (word) => `case when n % 10 in (1, 2, 3) then ' ' || ${word} else '' end`,
);
const inText = words.map((word) => `case when n % 10 > 3 then ' ' || ${word} else '' end`);

/** Words by chance, the first of the vocabulary far more often. */
const RANDOM_WORDS = (count: number) => `(
  select string_agg(word, ' ') from (
    select (${VOCABULARY} * power(random(), 4))::int % ${VOCABULARY} as w
    from generate_series(1, ${count}) where n >= 0) picked
  join store_word using (w))`;

const RANDOM_PHRASES = `(
  select string_agg(phrase, ' ') from (
    select (${PHRASES} * random())::int % ${PHRASES} as p
    from generate_series(1, ${PHRASES_OF_ONE}) where n >= 0) picked
  join store_phrase using (p))`;

export async function loadStore(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`
      select setseed(0.5);
      create temp table store_word as select w, ${WORD('w')} as word from generate_series(0, ${VOCABULARY - 1}) w;
      create index on store_word (w); analyze store_word;
      create temp table store_phrase as
        select n as p, ${RANDOM_WORDS(PHRASE_WORDS)} as phrase from generate_series(0, ${PHRASES - 1}) n;
      create index on store_phrase (p); analyze store_phrase;
      create temp table store_text as
        select n, ${storeId('n')} as id, trim(name) as name, trim(tagline) as tagline, trim(description) as description
        from (
          select n, initcap(${RANDOM_WORDS(2)}) || ' ' || n || concat(${inName.join(', ')}) as name,
            ${RANDOM_WORDS(TAGLINE_WORDS)} || concat(${inTagline.join(', ')}) as tagline,
            ${RANDOM_PHRASES} || concat(${inText.join(', ')}) as description
          from (select n, place, ${PLACES.join(', ')} from (
            select n, (n::bigint * 7919) % ${STORE_PRODUCTS} as place from generate_series(0, ${STORE_PRODUCTS - 1}) n) placed) marked
        ) texts`);
    await client.query(`
      insert into product (id, owner_person_id, name, tagline, state, listed_at)
      select id, ${personId('n + 1')}, name, tagline, 'listed', now() - n * interval '5 minutes' from store_text;
      insert into product_slug (slug, product_id) select 'store-' || n, id from store_text;
      with offered as (
        insert into offer (id, product_id, kind, is_default)
        select gen_random_uuid(), id, 'one_time', true from store_text returning id)
      insert into price (id, offer_id, currency, amount_minor, is_base)
      select gen_random_uuid(), id, 'USD', 1900, true from offered`);
    await client.query(`
      insert into listing (product_id, description, description_html, category, platforms)
      select id, description, '<p>' || description || '</p>', 'productivity', '{web}' from store_text`);
    // The indexes are built at once: entry by entry it would take minutes.
    const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
      `select indexname, indexdef from pg_indexes
       where tablename = 'product_search' and indexdef like '% USING gi%'`,
    );
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
    await client.query(`
      insert into product_search (product_id, name, name_words, line_words, words, category, platforms,
        is_included, is_sealed, popularity, listed_at)
      select id, lower(name), ${VECTOR('name')},
        ${VECTOR("concat_ws(' ', name, tagline)")},
        ${VECTOR("concat_ws(' ', name, tagline, 'person', description)")}
          || strip(to_tsvector('english', concat_ws(' ', name, tagline, description))),
        'productivity', '{web}', n % 3 = 0, n % 7 = 0,
        floor(log(2, (1 + 20000 * power(((n::bigint * 104729) % ${STORE_PRODUCTS})::numeric / ${STORE_PRODUCTS}, 12))))::smallint,
        now() - n * interval '5 minutes'
      from store_text`);
    await client.query(`set maintenance_work_mem = '256MB'`);
    for (const { indexdef } of indexes) await client.query(indexdef);
  } finally {
    client.release(true);
  }
  await pool.query('vacuum analyze product, product_slug, offer, price, listing, product_search');
}

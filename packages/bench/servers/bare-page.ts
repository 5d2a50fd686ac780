// A page of a product as plainly as Koa makes one: a prepared statement, and its row in a template.
import Koa from 'koa';
import { openOrderedPool, serve } from './parts/child-server.ts';

type Row = { name: string; tagline: string; amount_minor: string; currency: string };

const pool = await openOrderedPool();
const app = new Koa();
app.use(async (ctx) => {
  const { rows } = await pool.query<Row>({
    name: 'find_product',
    text: `select p.name, p.tagline, r.amount_minor, r.currency
      from product_slug s join product p on p.id = s.product_id
      join offer o on o.product_id = p.id and o.is_default and o.retired_at is null
      join price r on r.offer_id = o.id and r.is_base and r.retired_at is null
      where s.slug = $1`,
    values: [ctx.path.slice('/p/'.length)],
  });
  const [product] = rows;
  if (!product) return;
  const { name, tagline, amount_minor: amount, currency } = product;
  ctx.type = 'html';
  ctx.body = `<!doctype html><title>${name}</title><h1>${name}</h1><p>${tagline}</p><p>${amount} ${currency}</p>`;
});
await serve(app.callback());

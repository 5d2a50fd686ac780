import type Router from '@koa/router';
import type pg from 'pg';
import { presentInvoice, presentInvoiceWithPayments } from '../billing/billing-objects.ts';
import { findInvoice, listInvoices } from '../billing/invoice.repository.ts';
import { noSuch } from './api-error.ts';
import { invoiceListParameters } from './billing-parameters.ts';
import { parseParameters, presentPage } from './calls.ts';

/** The bills of subscriptions; they are made by the clock alone. */
export function addInvoiceRoutes(router: Router, pool: pg.Pool): void {
  router.get('/invoices', async (ctx) => {
    const asked = parseParameters(invoiceListParameters, ctx.querystring);
    const found = await listInvoices(pool, asked);
    const present = asked.expand ? presentInvoiceWithPayments : presentInvoice;
    const page = { url: '/v1/invoices', limit: asked.limit, present };
    ctx.body = presentPage(found, page);
  });

  router.get('/invoices/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const invoice = await findInvoice(pool, id);
    if (!invoice) throw noSuch('invoice', { id, param: 'invoice', status: 404 });
    ctx.body = presentInvoice(invoice);
  });
}

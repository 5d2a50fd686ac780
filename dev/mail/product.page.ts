import { html, type HtmlSafeString } from '@prairielearn/html';
import { PRODUCTS } from '../demo/demo-data.ts';
import { STORE_PRODUCTS } from '../demo/store/store-data.ts';
import { shell } from './mailbox.page.ts';

const PATH = /^\/products\/([a-z0-9-]+)$/;

export function productAddress(mailboxUrl: string, slug: string): string {
  return `${mailboxUrl}/products/${slug}`;
}

/** Stands for the website of a demo product; null where there is none. */
export function findProductPage(path: string, purchaseId: string | null): HtmlSafeString | null {
  const slug = PATH.exec(path)?.[1];
  const product = [...PRODUCTS, ...STORE_PRODUCTS].find((each) => each.slug === slug);
  if (!product) return null;
  const { name, tagline } = product;
  return shell(
    name,
    html`<h1>${name}</h1>
      <p>${tagline}</p>
      <p>
        This page stands for the product's own website, where <em>Open</em> leads. A real product
        would sign the customer in here, and ask Gatehouse who may use it.
      </p>
      ${purchaseId === null ? '' : html`<p>Back from purchase <code>${purchaseId}</code>.</p>`}`,
  );
}

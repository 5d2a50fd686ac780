import { html } from '@prairielearn/html';
import type { ProductView } from '../../domain/catalog/product.repository.ts';
import type { View } from '../route.ts';

type Card = Pick<ProductView, 'slug' | 'name' | 'tagline' | 'sellerName' | 'includedWithMember'>;

export function homePage({ products }: { products: Card[] }): View {
  return {
    title: 'Store',
    content: html`
      <h1>Store</h1>
      <p><a href="/member">Get Member</a>: one subscription, every included product.</p>
      ${
        products.length === 0
          ? html`<p>No products yet.</p>`
          : html`<ul class="cards">
              ${products.map((product) => html`<li>${card(product)}</li>`)}
            </ul>`
      }
    `,
  };
}

function card({ slug, name, tagline, sellerName, includedWithMember }: Card) {
  return html`<article>
    <h2><a href="/p/${slug}">${name}</a></h2>
    <p>${tagline}</p>
    <small class="muted">
      by ${sellerName}${includedWithMember ? ', included with Member' : ''}
    </small>
  </article>`;
}

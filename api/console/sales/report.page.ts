import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvLinks } from '../../html/csv-links.ts';
import type { Figures, RenewalsAhead } from '../../../domain/billing/reports/metrics.query.ts';
import type { View } from '../../http/route.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';
import { recurringPath } from './metric-labels.ts';
import { monthFigures } from './month-metrics.page.ts';
import { renewalsAhead } from './renewals-ahead.page.ts';

type Props = Figures & RenewalsAhead & { product: FramedProduct };

export function recurringPage(props: Props): View {
  const { product, figures, ahead, failing } = props;
  const isEmpty = figures.length + ahead.length + failing.length === 0;
  return {
    title: `Recurring revenue of ${product.name}`,
    content: html`
      ${productHeading(product, '/recurring')}
      <h2>Recurring revenue</h2>
      ${isEmpty ? nothing(product) : html`${renewalsAhead(props)} ${monthFigures(props)}`}
      ${csvLinks(`${recurringPath(product.slug)}/months.csv`, 'Download five years as CSV')}
    `,
  };
}

function nothing({ slug }: FramedProduct): HtmlSafeString {
  return html`<p>
    No subscriptions were active in the last twelve months. To sell subscriptions, set a monthly or
    yearly price under <a href="${productPath(slug)}/prices">Prices</a>.
  </p>`;
}

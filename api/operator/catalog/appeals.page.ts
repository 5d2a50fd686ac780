import { html, type HtmlSafeString } from '@prairielearn/html';
import type { AppealLine, AppealPage } from '../../../domain/seal/appeal.repository.ts';
import { productPath } from '../../console/console-frame.ts';
import { CRITERION_WORDS, describeValue, STATE_WORDS } from '../../console/catalog/seal-labels.ts';
import { smallButton } from '../../html/form.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { day, instant } from '../../html/dates.ts';
import { BY_NAME } from '../../html/parts/paging.ts';
import { factList } from '../../html/parts/facts.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, SEALS } from '../operator.page.ts';
import { productCell } from '../product-cell.ts';

type Props = { found: AppealPage; after: string | null; token: string };

export function appealsPage({ found, after, token }: Props): View {
  const content = listCard<AppealLine>({
    label: 'Appeals',
    rows: found.lines,
    empty: {
      title: 'No open appeals',
      sentence: 'An appeal appears here when a maker says why a review is wrong.',
    },
    columns: (line) => row(line, token),
    pages: { path: SEALS, before: after, next: found.next, names: BY_NAME },
  });
  return operatorPage({
    section: SEALS,
    title: 'Quality seals',
    lead: 'An appeal says why a review is wrong about a product. A restored seal is held until the next review, which decides again.',
    content,
  });
}

function row(line: AppealLine, token: string): HtmlSafeString {
  const { text, createdAt } = line;
  return html`<li class="request">
    <div>${product(line)}</div>
    <div>
      ${factList([
        ['Appeal', html`<span class="typed">${text}</span>`],
        ['Sent', instant(createdAt)],
        ['Not met', unmet(line)],
      ])}
      ${answers(line, token)}
    </div>
  </li>`;
}

function product({ name, slug, iconHash, ...line }: AppealLine): HtmlSafeString {
  const { state, noticeEndsAt, lostAt } = line;
  const since = noticeEndsAt ?? lostAt;
  const words = STATE_WORDS[state ?? 'none'];
  const more =
    since === null
      ? words
      : html`${words}, ${noticeEndsAt === null ? 'on' : 'notice ends'} ${day(since)}`;
  return productCell({ slug, name, iconHash, more, path: `${productPath(slug)}/seal` });
}

function unmet({ review }: AppealLine): HtmlSafeString | string {
  const failed = review?.criteria.filter(({ result }) => result === 'failed') ?? [];
  if (failed.length === 0) return 'All criteria are met';
  return html`<ul class="plain">
    ${failed.map(
      (each) => html`<li>${CRITERION_WORDS[each.name].name}: ${describeValue(each)}</li>`,
    )}
  </ul>`;
}

function answers({ id, name }: AppealLine, token: string): HtmlSafeString {
  const answer = (outcome: string, button: string) =>
    smallButton({
      action: SEALS,
      token,
      hidden: { appeal: id, outcome },
      button,
      label: `${button} for ${name}`,
    });
  return html`<div class="actions">
    ${answer('restored', 'Restore seal')} ${answer('declined', 'Decline')}
  </div>`;
}

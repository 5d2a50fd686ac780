// One import: how far it is, and what of it to take.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ImportFindings } from '../../../domain/catalog/imports/import-findings.ts';
import type { ListingImportView } from '../../../domain/catalog/imports/listing-import.repository.ts';
import type { TakenPicture } from '../../../domain/catalog/imports/taken-pictures.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/dates.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { needs, type Need } from '../../html/parts/needs.ts';
import { note } from '../../html/parts/note.ts';
import { table } from '../../html/table.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { listFoundRows, type Compared, type FoundRow } from './found-rows.ts';
import { importCard, importsPath } from './import-card.ts';
import { importPill, PICTURE_PROBLEMS, REFUSALS } from './import-labels.ts';

type Props = {
  product: ManagedProduct;
  shown: ListingImportView;
  /** What the listing says now, where something can be taken. */
  compared: Compared | null;
  /** Why what was ticked was not taken. */
  problem: 'stale' | 'nothing_chosen' | null;
  formToken: string;
};

export function importPage(props: Props): View {
  const { product, shown } = props;
  return {
    title: `Import for ${product.name}`,
    ...productFrame(product, '/listing', 'Import', {
      trail: [
        { path: `${productPath(product.slug)}/listing`, label: 'Listing' },
        { path: importsPath(product.slug), label: 'Imports' },
      ],
      state: importPill(shown.state),
    }),
    content: html`<div class="stack wide-forms">${contentOf(props)}</div>`,
  };
}

function contentOf(props: Props): HtmlSafeString {
  const { shown, compared } = props;
  switch (shown.state) {
    case 'queued':
    case 'fetching':
      return waitingCard('Reading', html`<p>We are reading ${addressOf(shown)}.</p>`);
    case 'waiting':
      return waitingCard('Waiting', waitOf(shown));
    case 'refused':
      return html`${refusalOf(shown)} ${again(props)}`;
    case 'applying':
      return waitingCard('Adding pictures', undefined, pictureList(shown));
    case 'applied':
      return appliedCard(props);
    case 'expired':
      return html`${EXPIRED} ${again(props)}`;
    case 'ready':
      return compared === null ? again(props) : readyCards(props, compared);
  }
}

function waitingCard(
  title: string,
  body: HtmlSafeString | undefined,
  rows?: HtmlSafeString,
): HtmlSafeString {
  const foot = 'This page updates automatically. You can leave it.';
  return card({ title, foot, ...(body && { body }), ...(rows && { rows }) });
}

const addressOf = ({ address }: ListingImportView) => html`<span class="address">${address}</span>`;

function waitOf(shown: ListingImportView): HtmlSafeString {
  const until = shown.waitUntil === null ? 'soon' : instant(shown.waitUntil);
  return html`<p>
    The site of ${addressOf(shown)} allows us no more requests for now. The import goes on by itself
    at ${until}.
  </p>`;
}

function refusalOf({ refusal }: ListingImportView): HtmlSafeString {
  if (refusal === null) return html``;
  return html`<div data-refusal="${refusal}">${note({ tone: 'bad', ...REFUSALS[refusal] })}</div>`;
}

const EXPIRED = note({
  tone: 'info',
  sentence: 'Nobody took what this import found within 30 days.',
  more: 'Read the address again.',
});

function again({ product: { slug }, shown: { address }, formToken: token }: Props) {
  return importCard({ slug, title: 'Read again', address, formToken: token });
}

function readyCards(props: Props, compared: Compared): HtmlSafeString {
  const { product, shown, formToken: token } = props;
  const rows = listFoundRows(compared);
  const differing = rows.filter(({ take }) => take !== 'Same').length;
  const path = `${importsPath(product.slug)}/${shown.id}`;
  return html`${problemOf(props.problem)} ${remarks(compared.findings)}
    <form method="post" action="${path}/apply">
      ${formToken(token)} <input type="hidden" name="version" value="${compared.listing.version}" />
      <div class="stack">
        ${card({
          title: 'What we found',
          facts: 'Nothing changes until you apply it',
          body: html`<p>
            ${addressOf(shown)}, read ${instant(shown.changedAt)}: ${rows.length} found,
            ${differing} differ.
          </p>`,
          rows: table({
            label: 'What we found',
            columns: {
              Field: ({ label }: FoundRow) => html`<strong>${label}</strong>`,
              Now: ({ now }: FoundRow) => now,
              Found: ({ found }: FoundRow) => found,
              'Take it': ({ take }: FoundRow) => take,
            },
            rows,
            empty: 'This address says nothing that a listing takes.',
          }),
          ...(differing > 0 && { foot: footOf(product) }),
        })}
      </div>
    </form>
    ${again(props)}`;
}

function footOf({ slug, state }: ManagedProduct): HtmlSafeString {
  return html`<p>
      ${state === 'listed' ? 'Your customers see them at once.' : 'Only your team sees them for now.'}
    </p>
    <div class="buttons">
      ${button({ text: 'Discard', kind: 'quiet', href: `${productPath(slug)}/listing` })}
      ${button({ text: 'Apply what is ticked', kind: 'primary' })}
    </div>`;
}

const PROBLEMS = {
  stale: {
    sentence: 'Someone else saved this listing after you opened this page.',
    more: 'Nothing is taken yet. The column Now shows what is saved; tick what you still want.',
  },
  nothing_chosen: { sentence: 'Nothing is ticked.', more: 'Tick what you want to take.' },
};

function problemOf(problem: Props['problem']): HtmlSafeString | '' {
  return problem === null ? '' : note({ tone: 'warn', ...PROBLEMS[problem] });
}

/** What the reader should know of the page; nothing follows from it by itself. */
function remarks({ isCut, hints: { canonical, refresh } }: ImportFindings): HtmlSafeString {
  const other = canonical ?? refresh;
  return html`${
    isCut
      ? note({
          tone: 'info',
          sentence: 'This page is longer than 600 KB.',
          more: 'We read its head and what follows up to there.',
        })
      : ''
  }
  ${
    other === null
      ? ''
      : note({
          tone: 'info',
          sentence: 'This page names another address for itself.',
          more: html`We did not follow it: <span class="address">${other}</span>`,
        })
  }`;
}

function appliedCard({ product: { slug }, shown }: Props): HtmlSafeString {
  const pictures = shown.pictures ?? [];
  const failed = pictures.filter(({ outcome }) => outcome === 'failed').length;
  return html`${note({
    tone: failed === 0 ? 'ok' : 'warn',
    sentence: failed === 0 ? 'The import is applied.' : 'Some pictures were not added.',
    more: failed === 0 ? '' : 'Everything else is applied. Upload these pictures on the listing.',
    actions: button({ text: 'Open listing', size: 'small', href: `${productPath(slug)}/listing` }),
  })}
  ${pictures.length === 0 ? '' : card({ title: 'Pictures', rows: pictureList(shown) })}`;
}

function pictureList({ pictures }: ListingImportView): HtmlSafeString {
  return needs((pictures ?? []).map(toNeed));
}

const OUTCOMES = {
  added: { tone: 'ok', word: 'added' },
  failed: { tone: 'bad', word: 'not added' },
} as const;

function toNeed({ kind, addresses, outcome, failed }: TakenPicture): Need {
  const label = kind === 'icon' ? 'Icon' : 'Screenshot';
  const line = html`<span class="address">${addresses[0]}</span>`;
  if (outcome === null) return { tone: 'plain', title: `${label} waits`, line };
  const { tone, word } = OUTCOMES[outcome];
  const problems = failed.map(
    ({ address, problem }) =>
      html`<span class="address">${address}</span>: ${PICTURE_PROBLEMS[problem]} `,
  );
  const title = `${label} ${word}`;
  return failed.length === 0 ? { tone, title, line } : { tone, title, line: html`${problems}` };
}

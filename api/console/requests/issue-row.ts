import { html } from '@prairielearn/html';
import { isFailing } from '../../../domain/catalog/diagnose.ts';
import type { Issue, IssueCode } from '../../../domain/catalog/diagnose.ts';
import { MOST_COUNTED } from '../../../domain/webhooks/deliveries/failing-deliveries.repository.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { writeCapped, writeCappedSum, writeCount } from '../../html/numbers.ts';
import { instant } from '../../html/dates.ts';
import type { Need } from '../../html/parts/needs.ts';
import { productPath, type FramedProduct } from '../console-frame.ts';

type Words = {
  /** The words of one and of more of them, where they are counted. */
  what: string | { one: string; many: string };
  mend: string;
  page: string;
  link: string;
};

/** The text of each issue, its remedy and the page for it. */
const WORDS: Record<IssueCode, Words> = {
  open_disputes: {
    what: { one: 'dispute is open', many: 'disputes are open' },
    mend: 'A buyer disputed a payment with the bank. The platform answers; send it your proof in time.',
    page: '/disputes',
    link: 'See disputes',
  },
  payout_failed: {
    what: "The latest payout did not reach the maker's bank account",
    mend: 'The money stays at the payment processor until a later payout arrives. Check the bank account.',
    page: '/selling#payouts',
    link: 'Payout account',
  },
  retrying_deliveries: {
    what: { one: 'delivery is retrying', many: 'deliveries are retrying' },
    mend: 'The last attempt failed. Check what the endpoint responds.',
    page: '/deliveries?status=retrying',
    link: 'See retries',
  },
  failed_renewals: {
    what: { one: 'renewal failed', many: 'renewals failed' },
    mend: 'The last charge failed. We retry until the grace period ends.',
    page: '/subscribers?status=past_due',
    link: 'See subscribers',
  },
  endpoint_disabled: {
    what: 'A webhook endpoint is disabled',
    mend: 'We keep new events and send none. Enable the endpoint once it works, then recover the held deliveries.',
    page: '/deliveries?status=held',
    link: 'See held deliveries',
  },
  endpoint_failing: {
    what: 'A webhook endpoint is failing',
    mend: 'Check its responses. After five days without a success we disable the endpoint.',
    page: '/deliveries?status=retrying',
    link: 'See retries',
  },
  dead_deliveries: {
    what: { one: 'delivery is dead', many: 'deliveries are dead' },
    mend: 'All attempts failed. Once the endpoint works, retry single deliveries or recover all of them.',
    page: '/deliveries?status=dead',
    link: 'See dead deliveries',
  },
  held_deliveries: {
    what: { one: 'delivery is held', many: 'deliveries are held' },
    mend: 'The endpoint was disabled. Recover what it missed.',
    page: '/recoveries',
    link: 'Recover deliveries',
  },
  no_way_to_check: {
    what: 'No live API key or client',
    mend: 'Create a live key for your server, or a client for sign-in.',
    page: '/keys',
    link: 'API keys',
  },
  no_live_key: {
    what: 'No live API key',
    mend: 'Your server cannot check access in production. If your app only uses sign-in, you need no key.',
    page: '/keys',
    link: 'API keys',
  },
  no_oauth_client: {
    what: 'No client for sign-in',
    mend: 'Nobody can sign in to the product, and no usage qualifies.',
    page: '/clients',
    link: 'Sign-in',
  },
  no_endpoint: {
    what: 'No webhook endpoint',
    mend: 'Your server gets no events about purchases and access. Add an endpoint.',
    page: '/endpoints',
    link: 'Webhooks',
  },
  purchase_not_subscribed: {
    what: 'No enabled endpoint is subscribed to purchase.completed',
    mend: 'Your server gets no event when someone buys the product. Subscribe an endpoint to it.',
    page: '/endpoints',
    link: 'Webhooks',
  },
  key_expiring: {
    what: 'A rotated API key expires soon',
    mend: 'Make sure that your server uses the new key.',
    page: '/keys',
    link: 'API keys',
  },
  client_secret_expiring: {
    what: 'A rotated client secret expires soon',
    mend: 'Make sure that your app uses the new secret.',
    page: '/clients',
    link: 'Sign-in',
  },
  secret_rotation_ending: {
    what: 'An old webhook secret expires soon',
    mend: 'Make sure that your server verifies with the new secret.',
    page: '/endpoints',
    link: 'Webhooks',
  },
};

/** Addresses and hosts are written as they are. */
const isPlace = (about: string) => /[.:]/.test(about);

/** An issue in a list of what waits for somebody; with the product's name where there are several. */
export function toNeed(
  { slug, name }: Pick<FramedProduct, 'slug' | 'name'>,
  issue: Issue,
  isNamed = false,
): Need {
  const { code, about, at } = issue;
  const { what, mend, page, link } = WORDS[code];
  const isCount = typeof what !== 'string';
  const title = isCount ? writeIssues(issue, what) : what;
  const where =
    about === null || isCount
      ? ''
      : html`<span class="id">${isPlace(about) ? about : sentenceCase(about)}</span>. `;
  return {
    mark: html`data-issue="${code}"`,
    tone: isFailing(issue) ? 'bad' : 'warn',
    title: isNamed ? `${name}: ${title.charAt(0).toLowerCase()}${title.slice(1)}` : title,
    line: html`${where}${at === null ? '' : html`${instant(at)}. `}${mend}`,
    action: { path: `${productPath(slug)}${page}`, label: link },
  };
}

function writeIssues(issue: Issue, { one, many }: { one: string; many: string }): string {
  const count = countOf(issue);
  const written = isOfDeliveries(issue) ? writeCapped(count, MOST_COUNTED) : writeCount(count);
  return `${written} ${count === 1 ? one : many}`;
}

const DELIVERY_CODES: readonly IssueCode[] = [
  'retrying_deliveries',
  'dead_deliveries',
  'held_deliveries',
];

/** Deliveries are counted up to a bound, disputes and renewals to the end. */
function isOfDeliveries({ code }: Issue): boolean {
  return DELIVERY_CODES.includes(code);
}

function countOf({ about }: Issue): number {
  return Number(about);
}

/** How many deliveries are failing: written alike wherever a product is shown; null of none. */
export function writeFailingDeliveries(issues: readonly Issue[]): string | null {
  const counts = issues.filter(isOfDeliveries).map(countOf);
  return counts.length === 0 ? null : writeCappedSum(counts, MOST_COUNTED);
}

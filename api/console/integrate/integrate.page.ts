import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { RequestLine } from '../../../domain/request-log/request-log.repository.ts';
import type { FirstCalls } from '../../../domain/usage/checks-by-day.repository.ts';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { Origins } from '../../docs/guide-text.ts';
import { copyable, hiddenSecret } from '../../html/copy.ts';
import { factList, type Fact } from '../../html/parts/facts.ts';
import { writePlural } from '../../html/numbers.ts';
import { day, shortInstant } from '../../html/dates.ts';
import { blockNotice, VERIFICATION } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { highlight } from '../../html/highlight.ts';
import { code } from '../../html/parts/code.ts';
import { steps } from '../../html/parts/steps.ts';
import { withAside } from '../../html/parts/beside.ts';
import type { View } from '../../http/route.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import type { CredentialRights } from '../managed-product.ts';
import { requestPill, shortRoute } from '../requests/request-labels.ts';
import { checkCommand, gateCommand, keepKey, reportCommand } from './commands.ts';
import { command, guide, program, waiting } from './step-parts.ts';
import { signInStep } from './sign-in-step.ts';
import { webhookStep } from './webhook-step.ts';
import { whatNext } from './what-next.ts';

type Props = {
  product: FramedProduct & Pick<ManagedProduct, 'id' | 'delivery'>;
  origins: Origins;
  /** The reader, about whom the first check asks. */
  personId: string;
  keys: KeyView[];
  /** The enabled clients, the newest first: the steps show the newest. */
  clients: RegisteredClient[];
  endpoints: EndpointOption[];
  seen: FirstCalls;
  isDelivered: boolean;
  /** The newest ones. */
  requests: readonly RequestLine[];
  now: Date;
  credentialRights: CredentialRights;
  endpointRights: CredentialRights;
};

const NAMES = ['key', 'check', 'sign-in', 'webhook', 'usage'] as const;
type StepName = (typeof NAMES)[number];

const TITLES: Record<StepName, { title: string; minutes: number }> = {
  key: { title: 'Get a test key', minutes: 1 },
  check: { title: 'Check access', minutes: 2 },
  'sign-in': { title: 'Sign a person in', minutes: 10 },
  webhook: { title: 'Receive webhooks', minutes: 5 },
  usage: { title: 'Report usage', minutes: 2 },
};

export function integratePage(props: Props): View {
  const { product, endpointRights } = props;
  return {
    title: `Integrate ${product.name}`,
    hasCopyButtons: true,
    ...productFrame(product, '/integrate', 'Integrate'),
    content:
      product.delivery === 'entitlement_api'
        ? integration(props)
        : html`${blockNotice(endpointRights.blockReason)}`,
  };
}

function integration(props: Props): HtmlSafeString {
  const done = doneSteps(props);
  const count = NAMES.filter((name) => done[name]).length;
  const open = NAMES.find((name) => !done[name]) ?? null;
  return html`<p>
      Five steps from nothing to a product that knows its customers. A step is done when we have
      seen it work.
    </p>
    ${withAside(
      html`<div class="progress" role="img" aria-label="${count} of ${NAMES.length} steps are done">
          ${NAMES.map((name) => html`<span ${done[name] ? html`class="done"` : ''}></span>`)}
          <small>${count} of ${NAMES.length} done</small>
        </div>
        ${steps(
          NAMES.map((name) => ({
            name,
            title: TITLES[name].title,
            state: done[name] ? 'done' : name === open ? 'now' : 'later',
            fact: factOf(name, done[name], props),
            content: CONTENTS[name]({ ...props, isDone: done[name], isOpen: name === open }),
          })),
        )}
        ${open === null ? whatNext(props) : ''}`,
      html`${yourValues(props)} ${lastRequests(props)}`,
    )}`;
}

function doneSteps({ keys, seen, isDelivered }: Props): Record<StepName, boolean> {
  return {
    key: keys.length > 0,
    check: seen.hasChecked,
    'sign-in': seen.hasSignedIn,
    webhook: isDelivered,
    usage: seen.hasReported,
  };
}

function factOf(name: StepName, isDone: boolean, { keys }: Props): HtmlSafeString | string {
  const { minutes } = TITLES[name];
  if (!isDone) return `About ${writePlural(minutes, 'minute')}`;
  const oldest = keys.at(-1);
  return name === 'key' && oldest !== undefined ? day(oldest.createdAt) : 'Seen';
}

type StepProps = Props & { isDone: boolean; isOpen: boolean };

const CONTENTS: Record<StepName, (props: StepProps) => HtmlSafeString> = {
  key: keyStep,
  check: checkStep,
  'sign-in': (props) => signInStep({ ...props, path: pathOf(props) }),
  webhook: webhookStep,
  usage: usageStep,
};

function pathOf({ product }: Props): string {
  return `${productPath(product.slug)}/integrate`;
}

/** The button of a step leads on; the open one has the main button of the page. */
function way(text: string, href: string, { isOpen }: StepProps): HtmlSafeString {
  return html`<p>${button({ text, href, kind: isOpen ? 'primary' : 'secondary' })}</p>`;
}

function keyStep(props: StepProps): HtmlSafeString {
  const { product, keys, credentialRights } = props;
  const { blockReason, isTrial } = credentialRights;
  const path = `${productPath(product.slug)}/keys`;
  const test = keys.find(({ mode }) => mode === 'test');
  return html`${
      test
        ? html`<p>You have <code>gk_test_...${test.lastFour}</code> (${test.name}).</p>`
        : blockNotice(blockReason)
    }
    <p>
      We show a key once, when it is created. A test key reads real data and records nothing.
      ${isTrial ? html`Live keys wait until you are <a href="${VERIFICATION}">verified</a>.` : ''}
    </p>
    ${way(blockReason === null ? 'Create a test key' : 'API keys', path, props)}
    <p>Put it in your shell:</p>
    ${command('keep-key', keepKey)} ${guide('api-keys', 'API keys')}`;
}

function checkStep(props: StepProps): HtmlSafeString {
  const { origins, personId, isDone } = props;
  const { baseUrl } = origins;
  const run = (runner: string) => gateCommand(runner, { baseUrl, personId });
  const shared = { guide: 'access', origins };
  return html`<p>
      Your server asks whether a person may use the product. This asks about you; send
      <code>X-Service-Test-Entitlement: active</code> too to see the other answer with a test key.
    </p>
    ${code({
      id: 'check',
      programs: [
        { language: 'curl', text: highlight(checkCommand({ baseUrl, personId }), 'sh') },
        program({
          ...shared,
          language: 'ts',
          name: 'TypeScript',
          file: 'gate.ts',
          run: run('node gate.ts'),
        }),
        program({
          ...shared,
          language: 'python',
          name: 'Python',
          file: 'gate.py',
          run: run('python3 gate.py'),
        }),
      ],
    })}
    ${
      isDone
        ? ''
        : waiting('Waiting for the first check of your server', {
            text: 'Check for a request',
            path: pathOf(props),
          })
    }
    ${guide('access', 'Access and usage')}`;
}

function usageStep(props: StepProps): HtmlSafeString {
  const { origins, personId, isDone } = props;
  return html`<p>
      Your server says that somebody used the product. A test key gets the answer and records
      nothing; an app reports with the person's own token instead.
    </p>
    ${command('report', reportCommand({ baseUrl: origins.baseUrl, personId }))}
    ${
      isDone
        ? ''
        : waiting('Waiting for the first report of usage', {
            text: 'Check for usage',
            path: pathOf(props),
          })
    }
    ${guide('access', 'Access and usage')}`;
}

function yourValues({ product, origins, keys, clients }: Props): HtmlSafeString {
  const test = keys.find(({ mode }) => mode === 'test');
  const [client] = clients;
  const line = (id: string, label: string, text: string): Fact => [
    label,
    copyable({ id, label: label.toLowerCase(), text, isLine: true }),
  ];
  return card({
    title: 'Your values',
    body: factList(
      [
        line('base-address', 'Base address', origins.baseUrl),
        line('product-id', 'Product ID', product.id),
        test !== undefined && [`Test key, ${test.name}`, hiddenSecret('gk_test_', test.lastFour)],
        client !== undefined && line('client-id', `Client ID, ${client.name}`, client.id),
      ],
      'above',
    ),
  });
}

function lastRequests({ product, requests, now }: Props): HtmlSafeString {
  return card({
    title: 'Last requests',
    actions: button({
      text: 'See all',
      size: 'small',
      href: `${productPath(product.slug)}/requests`,
    }),
    rows:
      requests.length === 0
        ? html`<p class="muted">None yet.</p>`
        : html`<ul class="rows">
            ${requests.map(
              ({ status, route, at }) =>
                html`<li>
                  <span>${requestPill(status)} <code>${shortRoute(route)}</code></span>
                  ${shortInstant(at, now)}
                </li>`,
            )}
          </ul>`,
  });
}

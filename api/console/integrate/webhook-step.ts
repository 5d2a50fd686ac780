import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { Origins } from '../../docs/guide-text.ts';
import { blockNotice, VERIFICATION } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { code, type Program } from '../../html/parts/code.ts';
import { productPath } from '../console-frame.ts';
import type { CredentialRights } from '../managed-product.ts';
import { receiveCommand } from './commands.ts';
import { alsoEnabled, guide, program, waiting } from './step-parts.ts';

type Props = {
  product: { slug: string };
  origins: Origins;
  /** The enabled endpoints, the newest first. */
  endpoints: EndpointOption[];
  endpointRights: CredentialRights;
  isDone: boolean;
  isOpen: boolean;
};

/** Leads to a first event before the verification, for which _Send test_ waits. */
const firstEvent = html`Other addresses and <em>Send test</em> wait until you are
  <a href="${VERIFICATION}">verified</a>. For a first event, revoke your own app of step 3 in
  <a href="/settings/apps">Connected apps</a>: we send <code>authorization.revoked</code>. When you
  sign in to it again, we send <code>authorization.granted</code>.`;

export function webhookStep(props: Props): HtmlSafeString {
  const { product, origins, endpoints, isDone } = props;
  const url = endpoints[0]?.url ?? null;
  const path = productPath(product.slug);
  return html`${url === null ? toAdd(props) : added(props)}
  ${code({ id: 'receive', programs: receivers(origins, url) })}
  ${
    isDone || url === null
      ? ''
      : waiting('Waiting for the first accepted delivery', {
          text: 'Check for a delivery',
          path: `${path}/integrate`,
        })
  }
  ${guide('webhooks', 'Webhooks')}`;
}

function added({ product, endpoints, endpointRights: { isTrial } }: Props): HtmlSafeString {
  const path = `${productPath(product.slug)}/endpoints`;
  const [endpoint, ...others] = endpoints;
  const links = others.map(
    ({ endpointId, url }) => html`<a class="id" href="${path}/${endpointId}">${url}</a>`,
  );
  return html`<p>
    Events go to ${others.length === 0 ? '' : 'the newest endpoint, '}
    <code class="id">${endpoint!.url}</code>. Its secret is shown on
    <a href="${path}/${endpoint!.endpointId}">the endpoint's page</a>${
      isTrial ? '' : html`, which has <em>Send test</em> too`
    }.
    ${isTrial ? firstEvent : ''} ${alsoEnabled(links)}
  </p>`;
}

function toAdd({ product, endpointRights, isOpen }: Props): HtmlSafeString {
  const { blockReason, isTrial } = endpointRights;
  return html`${blockNotice(blockReason)}
    <p>
      We send events to an address where your server
      listens${isTrial ? html`, such as <code>http://localhost:4001/</code>` : ''}. The page of an
      endpoint shows its secret${isTrial ? '' : html` and has <em>Send test</em>`}.
      ${isTrial ? firstEvent : ''}
    </p>
    <p>
      ${button({
        text: 'Add an endpoint',
        href: `${productPath(product.slug)}/endpoints`,
        kind: isOpen ? 'primary' : 'secondary',
      })}
    </p>`;
}

function receivers(origins: Origins, url: string | null): [Program, ...Program[]] {
  const of = (language: string, name: string, run: { file: string; runner: string }) =>
    program({
      guide: 'webhooks',
      language,
      origins,
      name,
      file: run.file,
      run: receiveCommand(run.runner, url),
    });
  return [
    of('ts', 'TypeScript', { file: 'receive.ts', runner: 'node receive.ts' }),
    of('python', 'Python', { file: 'receive.py', runner: 'python3 receive.py' }),
    of('go', 'Go', { file: 'receive.go', runner: 'go run receive.go' }),
    of('ruby', 'Ruby', {
      file: 'receive.ru',
      runner: 'rackup --host 127.0.0.1 --port $PORT receive.ru',
    }),
    of('php', 'PHP', { file: 'receive.php', runner: 'php -S 127.0.0.1:$PORT receive.php' }),
  ];
}

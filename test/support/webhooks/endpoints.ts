import { createClaims } from '../../../domain/webhooks/deliveries/claims.command.ts';
import { createPublicHttp } from '../../../clients/public-http.ts';
import { startDispatcher } from '../../../worker/webhook-dispatcher.ts';
import { createDeliverySender } from '../../../activities/webhooks/delivery.activities.ts';
import { createLogger } from '../../../platform/log.ts';
import { createAddressPolicy } from '../../../domain/shared/public-address.ts';
import { createEncryptor } from '../../../domain/shared/secrets.ts';
import { startApi, type TestApi } from '../http/api.ts';
import { eventually } from '../eventually.ts';
import { signInAgain } from '../identity/proving.ts';
import { RESPONSE_DEADLINE_MS } from '../../../domain/webhooks/deliveries/response-deadline.ts';

type ApiOptions = Parameters<typeof startApi>[0];
type Fields = Record<string, string | readonly string[]>;

const LOCAL = { allowedNetworks: ['127.0.0.0/8'], isHttpAllowed: true };

/** The console of a verified builder, and the endpoints of their products. */
export async function startEndpoints(options: ApiOptions = {}) {
  const api = await startApi(options);
  const owner = await api.seed.person({ isBuilder: true });
  const browser = api.browser();
  await browser.signIn(owner);
  const press = (action: string, fields: Fields = {}, by = browser) =>
    by.submit('/console', { action, fields });

  const urlFor = createUrls();

  async function newProduct(given: Parameters<typeof api.seed.product>[0] = {}) {
    const product = await api.seed.product({ owner, ...given });
    return { ...product, path: `/console/products/${product.slug}/endpoints` };
  }

  /** As the form makes it; the page that answers shows the secret. */
  async function add(path: string, fields: Fields = {}) {
    const given = { url: urlFor(path), events: 'purchase.completed', ...fields };
    const page = await (await browser.follow(await press(path, given))).text();
    const [endpointId = ''] = /(?<=\/endpoints\/)[0-9a-f-]{36}(?=\/test)/.exec(page) ?? [];
    return { endpointId, ...readSecrets(page), path: `${path}/${endpointId}` };
  }

  async function endpointRow(endpointId: string) {
    const sql = 'select * from webhook_endpoint where id = $1';
    return (await api.test.query<EndpointRow>(sql, [endpointId]))[0]!;
  }

  return {
    api,
    owner,
    browser,
    press,
    newProduct,
    add,
    endpointRow,
    startSending: () => startSending(api),
    signInAgain: () => signInAgain(browser, owner),
    async auditOf(productId: string) {
      return api.test.query<{ action: string; subject: string; detail: object }>(
        'select action, subject, actor_id, detail from audit where product_id = $1 order by at, id',
        [productId],
      );
    },
    async deliveriesTo(endpointId: string) {
      return api.test.query<DeliveryRow>(
        'select id, event_name, status, body from delivery_now where endpoint_id = $1 order by created_at, id',
        [endpointId],
      );
    },
    async untilSent(endpointId: string, many = 1) {
      return eventually(
        () => this.deliveriesTo(endpointId),
        (found) => found.filter(({ status }) => status === 'succeeded').length === many,
      );
    },
  };
}

/** Sends what is due, as the worker does, with the keys of this application. */
function startSending(api: TestApi) {
  const logger = createLogger({ name: 'test', format: 'json', level: 'silent' });
  const http = createPublicHttp({
    policy: createAddressPolicy(LOCAL),
    deadlineMs: RESPONSE_DEADLINE_MS,
  });
  const encryptor = createEncryptor(api.config.secretKeys);
  const sender = createDeliverySender({ http, encryptor, countAttempt: () => undefined, logger });
  const { database } = api;
  const claims = createClaims(database.pool);
  const dispatcher = startDispatcher({ database, claims, sender, logger });
  return {
    wake: () => dispatcher.wake(),
    async stop() {
      await dispatcher.stop();
      await http.close();
    },
  };
}

/** No two endpoints of a product have one URL. */
function createUrls(): (path: string) => string {
  const given = new Map<string, number>();
  return (path) => {
    const earlier = given.get(path) ?? 0;
    given.set(path, earlier + 1);
    return `https://example.com/hook${earlier === 0 ? '' : `/${earlier}`}`;
  };
}

type DeliveryRow = { id: string; event_name: string; status: string; body: Buffer };

type EndpointRow = {
  slot: number;
  url: string;
  events: string[];
  encrypted_secret: string;
  previous_encrypted_secret: string | null;
  previous_until: Date | null;
  disabled_at: Date | null;
  deleted_at: Date | null;
};

/** What the page shows once a button was pressed. */
export function readSecrets(page: string) {
  const read = (which: string) =>
    new RegExp(`data-secret="${which}"\\s*>(whsec_\\w+)<`).exec(page)?.[1] ?? null;
  return { secret: read('current') ?? '', previous: read('previous') };
}

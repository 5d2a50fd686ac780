import type pg from 'pg';
import { loadVerifiableKeys } from './better-auth.ts';
import { loadCatalog, loadStorefront } from './catalog.ts';
import { loadEntitlements } from './entitlements.ts';
import { loadOauth } from './oauth.ts';
import { loadPayloads } from './oidc-payloads.ts';
import { loadPeople } from './people.ts';
import { loadStore } from './store.ts';

type Load<Value> = (pool: pg.Pool) => Promise<Value>;

const SLOW_MS = 2_000;

/** What figures need, each loaded once, after what it refers to. */
export function createLoaders(pool: pg.Pool, say: (line: string) => void) {
  const once = <Value>(needs: (() => Promise<unknown>)[], what: string, load: Load<Value>) => {
    let loaded: Promise<Value> | undefined;
    const start = async () => {
      for (const need of needs) await need();
      const startedAt = performance.now();
      const slow = setTimeout(() => say(`loading ${what} ...`), SLOW_MS);
      try {
        return await load(pool);
      } finally {
        clearTimeout(slow);
        say(`loaded ${what} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
      }
    };
    return () => (loaded ??= start());
  };
  const people = once([], '200,000 people', loadPeople);
  const catalog = once([people], '1,000 products and 10,000 keys', loadCatalog);
  const storefront = once([catalog], '1,000 offers', loadStorefront);
  const entitlements = once([catalog], '1,000,000 entitlements', loadEntitlements);
  const oauth = once([catalog], '10,000 clients and 200,000 tokens', loadOauth);
  const payloads = once([people], "oidc-provider's 200,000 tokens and grants", loadPayloads);
  const verifiableKeys = once([], "better-auth's 10,000 keys", loadVerifiableKeys);
  const store = once([people], '100,000 listed products', loadStore);
  return { people, catalog, storefront, store, entitlements, oauth, payloads, verifiableKeys };
}

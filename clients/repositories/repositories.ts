import { isRefusal } from '../../domain/shared/refusal.ts';
import type { GetRefusal, GetResponse } from '../public-get.ts';
import type { PublicHttp } from '../public-http.ts';
import { ADAPTERS, parseTags, toListingTags } from './forges.ts';
import { readRateLimit, readWait, type RateLimit } from './rate-limit.ts';
import { groupReleases, groupTags, type ReleaseGroup } from './release-groups.ts';
import type { Forge, RepositoryAddress } from './repository-address.ts';

type RepositoryFindings = {
  description: string | null;
  tags: string[];
  groups: ReleaseGroup[];
  /** The groups are tags of git, because there are no releases. */
  areTags: boolean;
};

type RepositoryRefusal = GetRefusal | 'not_found' | 'too_large';

/** How many requests were made, and what the forge allows still. */
type Cost = { requests: number; limit: RateLimit | null };

export type RepositoryReading = Cost &
  (
    | { outcome: 'found'; found: RepositoryFindings }
    | { outcome: 'refused'; refused: RepositoryRefusal }
    | { outcome: 'limited'; until: Date }
  );

type Options = { get: PublicHttp['get']; baseUrls: Record<Forge, string> };

/** `attempt` counts the earlier ones that the forge refused. */
type Circumstances = { now: Date; attempt: number };

const MOST_REQUESTS = 3;
const LIMIT_BYTES = 614_400;

export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories({ get, baseUrls }: Options) {
  return {
    /** The host whose quota a repository of this forge uses. */
    hostOf: ({ forge }: RepositoryAddress) => new URL(baseUrls[forge]).host,

    /** Makes at most three requests, redirects counted. Never throws. */
    async read(
      { forge, path }: RepositoryAddress,
      circumstances: Circumstances,
    ): Promise<RepositoryReading> {
      const cost: Cost = { requests: 0, limit: null };
      const ask = createRequest({ get, baseUrl: baseUrls[forge], forge, cost, ...circumstances });
      const reading = await readRepository(ask, { forge, path, cost });
      return { ...cost, ...reading };
    },
  };
}

type Answer<Value> =
  | { outcome: 'found'; value: Value }
  | { outcome: 'refused'; refused: RepositoryRefusal }
  | { outcome: 'limited'; until: Date };

type Ask = <Value>(path: string, parse: (json: unknown) => Value | null) => Promise<Answer<Value>>;

type RequestOptions = {
  get: PublicHttp['get'];
  baseUrl: string;
  forge: Forge;
  cost: Cost;
} & Circumstances;

/** Adds what each request costs to `cost`. */
function createRequest({ get, baseUrl, forge, cost, now, attempt }: RequestOptions): Ask {
  return async (path, parse) => {
    const left = MOST_REQUESTS - cost.requests;
    const response = await get(baseUrl + path, {
      headers: { accept: 'application/json', 'user-agent': 'Gatehouse' },
      types: ['application/json'],
      limitBytes: LIMIT_BYTES,
      mostRedirects: left - 1,
      isHttpAllowed: baseUrl.startsWith('http:'),
    });
    if (isRefusal(response)) {
      cost.requests = MOST_REQUESTS; // redirects may have been requests as well
      return { outcome: 'refused', ...response };
    }
    const { statusCode, headers } = response;
    cost.requests += 1 + response.redirects;
    cost.limit = readRateLimit(headers, now) ?? cost.limit;
    // GitLab and Forgejo refuse by 403 what a project does not show.
    if (statusCode === 429 || (statusCode === 403 && forge === 'github')) {
      return { outcome: 'limited', until: readWait({ headers, now, attempt }) };
    }
    return readAnswer(response, parse);
  };
}

function readAnswer<Value>(
  { statusCode, body, isCut }: GetResponse,
  parse: (json: unknown) => Value | null,
): Answer<Value> {
  if (statusCode >= 400 && statusCode < 500) return { outcome: 'refused', refused: 'not_found' };
  if (statusCode < 200 || statusCode > 299) return { outcome: 'refused', refused: 'unreachable' };
  if (isCut) return { outcome: 'refused', refused: 'too_large' };
  const value = parse(parseJson(body));
  if (value === null) return { outcome: 'refused', refused: 'unreadable_body' };
  return { outcome: 'found', value };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

type Target = RepositoryAddress & { cost: Cost };

async function readRepository(ask: Ask, { forge, path, cost }: Target) {
  const adapter = ADAPTERS[forge];
  const repository = await ask(adapter.repository(path), adapter.parseRepository);
  if (repository.outcome !== 'found') return repository;
  const { description, topics, path: current } = repository.value;
  const found = { description, tags: toListingTags(topics), groups: [], areTags: false };
  // A renamed repository is asked for by its present name.
  if (cost.requests === MOST_REQUESTS) return { outcome: 'found' as const, found };
  const releases = await askForList(ask, adapter.releases(current), adapter.parseReleases);
  if (releases.outcome !== 'found') return releases;
  const groups = groupReleases(releases.value);
  if (groups.length > 0 || cost.requests === MOST_REQUESTS) {
    return { outcome: 'found' as const, found: { ...found, groups } };
  }
  const tags = await askForList(ask, adapter.tags(current), parseTags);
  if (tags.outcome !== 'found') return tags;
  return {
    outcome: 'found' as const,
    found: { ...found, groups: groupTags(tags.value), areTags: true },
  };
}

/** A repository may show no releases to strangers: it has none then. */
async function askForList<Item>(
  ask: Ask,
  path: string,
  parse: (json: unknown) => Item[] | null,
): Promise<Answer<Item[]>> {
  const answer = await ask(path, parse);
  const isHidden = answer.outcome === 'refused' && answer.refused === 'not_found';
  return isHidden ? { outcome: 'found', value: [] } : answer;
}

import { compare, parse } from 'semver';

type FoundRelease = {
  version: string;
  /** A tag of git has none. */
  publishedAt: string | null;
  notes: string | null;
};

/** The releases whose tags begin alike: a repository may hold several products. */
export type ReleaseGroup = { prefix: string; releases: FoundRelease[] };

/** A release or a tag as a forge has it. */
export type RepositoryTag = { tag: string; publishedAt: string | null; notes: string | null };

const KEPT_RELEASES = 5;
const KEPT_TAGS = 12;
const MOST_GROUPS = 12;
const LONGEST_TAG = 100;
const LONGEST_VERSION = 40;
const LONGEST_NOTES = 4_000;

/** The newest releases of each prefix; the prefix with the newest one first. */
export function groupReleases(tags: readonly RepositoryTag[]): ReleaseGroup[] {
  const versions = tags.map((tag) => parseTag(tag) ?? { ...tag, prefix: '', version: tag.tag });
  return toGroups(versions.toSorted(newestFirst), KEPT_RELEASES);
}

/** The highest versions of each prefix, without pre-releases and tags that are no version. */
export function groupTags(names: readonly string[]): ReleaseGroup[] {
  const versions = names
    .map((tag) => parseTag({ tag, publishedAt: null, notes: null }))
    .filter((version) => version !== null)
    .filter(({ version }) => !version.includes('-'));
  return toGroups(versions.toSorted(newestFirst), KEPT_TAGS);
}

type Version = RepositoryTag & { prefix: string; version: string };

const VERSION = /^(.*?)v?(\d{1,9}(?:\.\d{1,9}){1,2}(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?)$/i;

/** Returns null for a tag that names no version. */
function parseTag(tag: RepositoryTag): Version | null {
  if (tag.tag.length > LONGEST_TAG) return null;
  const [, prefix, version] = VERSION.exec(tag.tag) ?? [];
  if (prefix === undefined || version === undefined) return null;
  // The digits of a longer number are no prefix.
  return /[\d.]$/.test(prefix) ? null : { ...tag, prefix, version };
}

function newestFirst(a: Version, b: Version): number {
  const byDate = (b.publishedAt ?? '').localeCompare(a.publishedAt ?? '');
  return byDate === 0 ? compareVersions(b.version, a.version) : byDate;
}

/** `1.2` is `1.2.0`; what is no version comes last. */
function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((text) =>
    parse(text.replace(/^(\d+\.\d+)(?![\d.])/, '$1.0'), { loose: true }),
  );
  if (one && other) return compare(one, other);
  return Number(Boolean(one)) - Number(Boolean(other));
}

function toGroups(versions: readonly Version[], kept: number): ReleaseGroup[] {
  const groups = new Map<string, FoundRelease[]>();
  for (const { prefix, version, publishedAt, notes } of versions) {
    const releases = groups.get(prefix) ?? [];
    if (releases.length >= kept) continue;
    groups.set(prefix, [
      ...releases,
      {
        version: version.slice(0, LONGEST_VERSION),
        publishedAt,
        notes: notes === null ? null : notes.slice(0, LONGEST_NOTES).toWellFormed(),
      },
    ]);
  }
  const all = [...groups].map(([prefix, releases]) => ({ prefix, releases }));
  return all.slice(0, MOST_GROUPS);
}

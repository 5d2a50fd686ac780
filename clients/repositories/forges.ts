import { z } from 'zod';
import type { RepositoryTag } from './release-groups.ts';
import type { Forge } from './repository-address.ts';

/** What a forge says about a repository. */
type RepositoryFacts = { path: string; description: string | null; topics: string[] };

/** How a forge is asked for a repository, and what its answers mean. */
type Adapter = {
  repository: (path: string) => string;
  releases: (path: string) => string;
  tags: (path: string) => string;
  parseRepository: (json: unknown) => RepositoryFacts | null;
  /** Leaves drafts, pre-releases and what is only announced out. */
  parseReleases: (json: unknown) => RepositoryTag[] | null;
};

const text = z.string().max(200_000).nullish();

const GITHUB_REPOSITORY = z.object({
  full_name: z.string().max(500),
  description: text,
  topics: z.array(z.string()).max(100).nullish(),
});

const GITLAB_REPOSITORY = z.object({
  path_with_namespace: z.string().max(1_500),
  description: text,
  topics: z.array(z.string()).max(100).nullish(),
});

const GITHUB_RELEASES = z.array(
  z.object({
    tag_name: z.string(),
    body: text,
    draft: z.boolean().nullish(),
    prerelease: z.boolean().nullish(),
    published_at: z.iso.datetime({ offset: true }).nullish(),
  }),
);

const GITLAB_RELEASES = z.array(
  z.object({
    tag_name: z.string(),
    description: text,
    upcoming_release: z.boolean().nullish(),
    released_at: z.iso.datetime({ offset: true }).nullish(),
  }),
);

const TAGS = z.array(z.object({ name: z.string() }));

/** Names of tags; null where the answer is no list of them. */
export function parseTags(json: unknown): string[] | null {
  return TAGS.safeParse(json).data?.map(({ name }) => name) ?? null;
}

function parseRepository(json: unknown): RepositoryFacts | null {
  const repository = GITHUB_REPOSITORY.safeParse(json).data;
  if (!repository) return null;
  const { full_name: path, description, topics } = repository;
  return { path, description: description ?? null, topics: topics ?? [] };
}

function parseReleases(json: unknown): RepositoryTag[] | null {
  const releases = GITHUB_RELEASES.safeParse(json).data;
  const published = releases?.filter(({ draft, prerelease }) => !draft && !prerelease);
  return published?.map((one) => toTag(one.tag_name, one.published_at, one.body)) ?? null;
}

// Forgejo answers as GitHub does, with its own names of parameters.
const CODEBERG: Adapter = {
  repository: toRepository,
  releases: (path) => `${toRepository(path)}/releases?limit=20&draft=false&pre-release=false`,
  tags: (path) => `${toRepository(path)}/tags?limit=50`,
  parseRepository,
  parseReleases,
};

export const ADAPTERS: Record<Forge, Adapter> = {
  github: {
    ...CODEBERG,
    releases: (path) => `${toRepository(path)}/releases?per_page=20`,
    tags: (path) => `${toRepository(path)}/tags?per_page=100`,
  },
  gitlab: {
    repository: (path) => `/projects/${encodeURIComponent(path)}`,
    releases: (path) => `/projects/${encodeURIComponent(path)}/releases?per_page=20`,
    tags: (path) => `/projects/${encodeURIComponent(path)}/repository/tags?per_page=100`,
    parseRepository(json) {
      const project = GITLAB_REPOSITORY.safeParse(json).data;
      if (!project) return null;
      const { path_with_namespace: path, description, topics } = project;
      return { path, description: description ?? null, topics: topics ?? [] };
    },
    parseReleases(json) {
      const releases = GITLAB_RELEASES.safeParse(json).data;
      const published = releases?.filter((release) => !release.upcoming_release);
      return published?.map((one) => toTag(one.tag_name, one.released_at, one.description)) ?? null;
    },
  },
  codeberg: CODEBERG,
};

function toRepository(path: string): string {
  return `/repos/${path.split('/').map(encodeURIComponent).join('/')}`;
}

function toTag(tag: string, date: string | null | undefined, notes: string | null | undefined) {
  return {
    tag,
    publishedAt: date ? new Date(date).toISOString() : null,
    notes: notes?.trim() ? notes : null,
  };
}

const TAG = /^[a-z0-9][a-z0-9-]{0,22}[a-z0-9]$/;
const MOST_TAGS = 12;

/** Topics as tags of a listing: slugs of 2 to 24 characters, up to 12. */
export function toListingTags(topics: readonly string[]): string[] {
  const slugs = topics.map((topic) =>
    topic
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_.]+/g, '-'),
  );
  return [...new Set(slugs.filter((slug) => TAG.test(slug)))].slice(0, MOST_TAGS);
}

// What an import found, in the form in which a listing takes it.
import { validateDescription, validateTags } from '../listing-fields.ts';
import { validateAddress } from '../product-address.ts';
import {
  LONGEST_NAME,
  LONGEST_TAGLINE,
  validateProductName,
  validateTagline,
} from '../product-fields.ts';
import { LONGEST_NOTES, validateNotes, validateVersion } from '../releases/release-fields.ts';

type FoundRelease = { version: string; publishedAt: string | null; notes: string | null };

/** Releases whose tags begin alike: a repository may hold several products. */
export type ReleaseGroup = { prefix: string; releases: FoundRelease[] };

/** The fields of a listing that an import may find, in the order of its page. */
export const FOUND_FIELDS = [
  'name',
  'tagline',
  'description',
  'tags',
  'websiteUrl',
  'docsUrl',
  'sourceUrl',
  'changelogUrl',
] as const;
export type FoundField = (typeof FOUND_FIELDS)[number];

type FoundTexts = { [Field in Exclude<FoundField, 'tags'>]?: string } & { tags?: string[] };

export type ImportFindings = {
  texts: FoundTexts;
  /** Addresses of which the first one that makes a picture counts. */
  icons: string[];
  /** Addresses of icons in formats that make no picture. */
  skippedIcons: string[];
  screenshots: string[];
  groups: ReleaseGroup[];
  /** The releases are tags of git, which have no date. */
  areTags: boolean;
  /** Other addresses that the page names for itself. */
  hints: { canonical: string | null; refresh: string | null };
  /** The page is longer than what was read of it. */
  isCut: boolean;
};

/** What a page says, as its reader has it. */
type PageFacts = Pick<
  ImportFindings,
  'icons' | 'skippedIcons' | 'screenshots' | 'hints' | 'isCut'
> & {
  name: string | null;
  tagline: string | null;
  description: string | null;
  links: Partial<Record<'site' | 'docs' | 'source' | 'changelog', string>>;
};

type RepositoryFacts = Pick<ImportFindings, 'groups' | 'areTags'> & {
  description: string | null;
  tags: string[];
};

const MOST_ICONS = 4;
/** Fits the bytes of a listing's description, whatever its letters. */
const LONGEST_DESCRIPTION = 8_000;

const NOTHING = {
  icons: [],
  skippedIcons: [],
  screenshots: [],
  groups: [],
  areTags: false,
  hints: { canonical: null, refresh: null },
  isCut: false,
};

export function readPageFindings(page: PageFacts, platformUrl: string): ImportFindings {
  const address = (found: string | undefined) => toAddress(found, platformUrl);
  const { links, icons, skippedIcons, screenshots, hints, isCut } = page;
  return fit({
    ...NOTHING,
    texts: withoutAbsent({
      name: toLine(page.name, LONGEST_NAME, validateProductName),
      tagline: toLine(page.tagline, LONGEST_TAGLINE, validateTagline),
      description: toDescription(page.description),
      websiteUrl: address(links.site),
      docsUrl: address(links.docs),
      sourceUrl: address(links.source),
      changelogUrl: address(links.changelog),
    }),
    icons: icons.slice(0, MOST_ICONS),
    skippedIcons: skippedIcons.slice(0, MOST_ICONS),
    screenshots,
    hints,
    isCut,
  });
}

export function readRepositoryFindings(
  repository: RepositoryFacts,
  { address, platformUrl }: { address: string; platformUrl: string },
): ImportFindings {
  const { value: tags, problem } = validateTags(repository.tags.join(','));
  return fit({
    ...NOTHING,
    texts: withoutAbsent({
      tagline: toLine(repository.description, LONGEST_TAGLINE, validateTagline),
      tags: problem === null && tags.length > 0 ? tags : undefined,
      sourceUrl: toAddress(address, platformUrl),
    }),
    groups: repository.groups
      .map(({ prefix, releases }) => ({ prefix, releases: releases.flatMap(toRelease) }))
      .filter(({ releases }) => releases.length > 0),
    areTags: repository.areTags,
  });
}

type Validate = (text: string) => { value: string | null; problem: string | null };

/** A line of a listing; a longer one ends with a word and an ellipsis. */
function toLine(found: string | null, longest: number, validate: Validate): string | undefined {
  return found === null ? undefined : accept(shorten(found, longest), validate);
}

function toDescription(found: string | null): string | undefined {
  return found === null
    ? undefined
    : accept(shorten(found, LONGEST_DESCRIPTION), validateDescription);
}

/** Tries a text as it is, then without characters that no listing takes. */
function accept(text: string, validate: Validate): string | undefined {
  for (const tried of [text, text.replaceAll(/[^\P{C}\n\t]|[\u2800\ufffd]/gu, '')]) {
    const { value, problem } = validate(tried);
    if (problem === null) return value ?? undefined;
  }
  return undefined;
}

function shorten(text: string, longest: number): string {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const cut = characters.slice(0, longest - 1).join('');
  return `${cut.replace(/\s+\S{0,40}$/, '')}…`;
}

function toAddress(found: string | undefined, platformUrl: string): string | undefined {
  if (found === undefined) return undefined;
  const { value, problem } = validateAddress(found, platformUrl);
  return problem === null ? (value ?? undefined) : undefined;
}

function toRelease({ version, publishedAt, notes }: FoundRelease): FoundRelease[] {
  const accepted = accept(version, validateVersion);
  if (accepted === undefined) return [];
  const kept = notes === null ? null : (accept(notes, validateNotes) ?? null);
  return [{ version: accepted, publishedAt, notes: kept }];
}

function withoutAbsent(texts: {
  [Field in FoundField]?: FoundTexts[Field] | undefined;
}): FoundTexts {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
}

/** The row takes 64 KiB, and the database writes spaces between. */
const MOST_BYTES = 60_000;
const UTF_8 = new TextEncoder();

const isFitting = (findings: ImportFindings) =>
  UTF_8.encode(JSON.stringify(findings)).length <= MOST_BYTES;

/** Shortens what is long, until the row takes it: notes first, then the description. */
function fit(findings: ImportFindings): ImportFindings {
  let fitted = findings;
  for (let longest = LONGEST_NOTES; !isFitting(fitted) && longest > 100; longest /= 2) {
    fitted = { ...fitted, groups: findings.groups.map((group) => shortenNotes(group, longest)) };
  }
  for (let longest = LONGEST_DESCRIPTION; !isFitting(fitted) && longest > 100; longest /= 2) {
    const { description = '', ...texts } = findings.texts;
    fitted = { ...fitted, texts: { ...texts, description: shorten(description, longest) } };
  }
  return isFitting(fitted) ? fitted : { ...fitted, screenshots: [], skippedIcons: [], groups: [] };
}

function shortenNotes({ prefix, releases }: ReleaseGroup, longest: number): ReleaseGroup {
  const shortened = releases.map((release) => ({
    ...release,
    notes: release.notes === null ? null : shorten(release.notes, longest),
  }));
  return { prefix, releases: shortened };
}

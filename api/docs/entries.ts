// What the search of the docs finds: the parts of the guides and the operations of the reference.
import { readPassages, titleOf, type Origins } from './guide-text.ts';
import type { Operation, Reference } from './reference.ts';
import type { Entry } from './search.ts';
import { SHELVES } from './shelves.ts';
import { TABLE_WORDS } from './tables.page.ts';

export function listEntries(reference: Reference, origins: Origins): Entry[] {
  const names = SHELVES.flatMap(({ guides }) => guides.map(({ name }) => name));
  return [
    ...names.flatMap((name) => listPassages(name, origins)),
    ...reference.groups.flatMap(({ operations }) => operations.map(toEntry)),
    ...TABLE_WORDS.map(({ path, title, text }) => ({
      path,
      page: title,
      heading: title,
      text,
      isPage: true,
    })),
  ];
}

function listPassages(name: string, origins: Origins): Entry[] {
  const page = titleOf(name);
  return readPassages(name, origins).map(({ id, heading, text }) => ({
    path: `/docs/${name}${id === null ? '' : `#${id}`}`,
    page,
    heading,
    text,
    isPage: id === null,
  }));
}

/** The fields of an operation are found by their names and by what they mean. */
function toEntry({
  slug,
  title,
  method,
  target,
  lede,
  paragraphs,
  parameters,
  answers,
}: Operation): Entry {
  const fields = [...parameters, ...answers].flatMap((part) => part.fields);
  const described = new Map(fields.map(({ name, description }) => [name, description]));
  const texts = [
    `${method} ${target}.`,
    lede,
    ...paragraphs,
    ...[...described].map(([name, description]) => `${name}: ${description}.`),
  ];
  return {
    path: `/docs/reference/${slug}`,
    page: title,
    heading: title,
    text: texts.join(' ').replaceAll('`', ''),
    isPage: true,
  };
}

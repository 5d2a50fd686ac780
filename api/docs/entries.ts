// What the search of the docs finds: the parts of the guides and the operations of the reference.
import { readPassages, titleOf, type Origins } from './guide-text.ts';
import type { Operation, Reference } from './reference.ts';
import type { Entry } from './search.ts';
import { SHELVES } from './shelves.ts';
import { TABLE_WORDS } from './tables.page.ts';

export function listEntries(reference: Reference, origins: Origins): Entry[] {
  return [
    ...SHELVES.flatMap(({ name: shelf, guides }) =>
      guides.flatMap(({ name }) => listPassages(name, { shelf, origins })),
    ),
    ...reference.groups.flatMap(({ name, operations }) =>
      operations.map((operation) => toEntry(operation, [API, name])),
    ),
    ...TABLE_WORDS.map(({ path, title, text }) => ({
      path,
      page: title,
      heading: title,
      text,
      isPage: true,
      trail: [API],
    })),
  ];
}

const API = 'API reference';

function listPassages(
  name: string,
  { shelf, origins }: { shelf: string; origins: Origins },
): Entry[] {
  const page = titleOf(name);
  return readPassages(name, origins).map(({ id, heading, text, above }) => ({
    path: `/docs/${name}${id === null ? '' : `#${id}`}`,
    page,
    heading,
    text,
    isPage: id === null,
    trail: id === null ? [shelf] : [shelf, page, ...above],
  }));
}

/** The fields of an operation are found by their names and by what they mean. */
function toEntry(operation: Operation, above: string[]): Entry {
  const { slug, title, method, target, lede, paragraphs, parameters, answers } = operation;
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
    trail: above,
  };
}

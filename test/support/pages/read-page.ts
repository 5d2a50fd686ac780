/** What a person reads of a part of a page. */
export function readText(part: string): string {
  return part
    .replaceAll(/<svg[^]*?<\/svg>/g, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The rows of the tables with such a label; of all tables without one. */
export function readRows(page: string, label: string | RegExp = /./): string[][] {
  const isMeant = (name: string) => (typeof label === 'string' ? name === label : label.test(name));
  return [...page.matchAll(/aria-label="([^"]+)" tabindex="0">([^]*?)<\/table>/g)]
    .filter(([, name]) => isMeant(name!))
    .flatMap(([, , table]) => [...table!.matchAll(/<tr>([^]*?)<\/tr>/g)])
    .map(([, row]) =>
      [...row!.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => readText(cell!)),
    )
    .filter((cells) => cells.length > 0);
}

/** The facts of a page by name, of equal names the last one. */
export function readFacts(page: string): Record<string, string> {
  const facts = [...page.matchAll(/<dt>([^]*?)<\/dt>\s*<dd>([^]*?)<\/dd>/g)];
  return Object.fromEntries(facts.map(([, name, value]) => [readText(name!), readText(value!)]));
}

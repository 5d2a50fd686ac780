import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const SHEETS = ['base.css', 'store.css'].map((name) =>
  fileURLToPath(import.meta.resolve(`../../../api/html/css/${name}`)),
);

type Mode = 'light' | 'dark';

/** The tokens of colour in both modes. */
function readTokens(): Map<string, Record<Mode, string>> {
  const css = SHEETS.map((path) => readFileSync(path, 'utf8')).join('');
  const declared = css.matchAll(/^\s*--([\w-]+): (?:light-dark\((#\w+), (#\w+)\)|(#\w+));/gm);
  return new Map(
    [...declared].map(([, name, light, dark, both]) => [
      name!,
      { light: (light ?? both)!, dark: (dark ?? both)! },
    ]),
  );
}

/** The relative luminance of WCAG 2. */
function luminanceOf(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/[^#]/g, '$&$&') : color;
  const [red, green, blue] = digits.match(/[^#]{2}/g)!.map((pair) => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

const GROUNDS = ['bg', 'surface', 'sunken'];
const SOFT = ['accent-soft', 'warn-soft', 'bad-soft', 'info-soft'];

/** What each colour may stand on, and how far it has to be from it. */
const RULES: { colors: string[]; grounds: string[]; least: number }[] = [
  {
    colors: ['ink', 'ink-2', 'ink-3', 'accent', 'accent-2'],
    grounds: [...GROUNDS, ...SOFT, 'hover'],
    least: 4.5,
  },
  ...['warn', 'bad', 'info'].map((name) => ({
    colors: [name],
    grounds: [...GROUNDS, `${name}-soft`],
    least: 4.5,
  })),
  { colors: ['on-accent'], grounds: ['accent', 'accent-2'], least: 4.5 },
  { colors: ['member-ink', 'member-soft'], grounds: ['member'], least: 4.5 },
  {
    colors: ['code-keyword', 'code-string', 'info', 'warn', 'ink-3'],
    grounds: ['sunken'],
    least: 4.5,
  },
  { colors: ['edge'], grounds: ['bg', 'surface'], least: 3 },
  { colors: ['chart-1', 'chart-2'], grounds: ['surface'], least: 3 },
];

const tokens = readTokens();

for (const mode of ['light', 'dark'] as const) {
  test(`the colours of the tokens can be told from what they stand on: ${mode}`, (t) => {
    for (const { colors, grounds, least } of RULES) {
      for (const color of colors) {
        for (const ground of grounds) {
          const [one, other] = [tokens.get(color), tokens.get(ground)];
          if (!one || !other) return t.fail(`there is no ${one ? ground : color}`);
          const contrast = contrastOf(one[mode], other[mode]);
          t.true(contrast >= least, `${color} on ${ground}: ${contrast.toFixed(2)}`);
        }
      }
    }
  });
}

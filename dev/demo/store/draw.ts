// Draws the icons and screenshots of the demo's store: plain shapes, no text, no foreign picture.
import sharp from 'sharp';

type Glyph = keyof typeof GLYPHS;
type Screen = keyof typeof SCREENS;
export type Look = { glyph: Glyph; screen: Screen; hue: number };

const ICON = 512;
const WIDTH = 1_600;
const HEIGHT = 1_000;

/** Returns a PNG of 512 by 512 pixels. */
export function drawIcon({ glyph, hue }: Look): Promise<Buffer> {
  return toPng(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="${ICON}" height="${ICON}">
    <defs><linearGradient id="g" x2="1" y2="1">
      <stop stop-color="${hsl(hue, 62, 48)}"/><stop offset="1" stop-color="${hsl(hue + 28, 58, 32)}"/>
    </linearGradient></defs>
    <rect width="64" height="64" fill="url(#g)"/>
    <g fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round">${GLYPHS[glyph]}</g>
  </svg>`);
}

/** Returns a PNG of 1,600 by 1,000 pixels: the window of an app in its colour. */
export function drawScreenshot({ screen, hue }: Look, variant: number): Promise<Buffer> {
  const paint: Paint = {
    ink: hsl(hue, 25, 22),
    soft: hsl(hue, 28, 90),
    main: hsl(hue, 58, 45),
    pale: hsl(hue, 50, 78),
    next: randomOf(hue * 7 + variant * 131 + 1),
  };
  const side = range(7).map((n) =>
    bar(48, 170 + n * 58, 90 + paint.next() * 90, n === variant % 7 ? paint.main : paint.pale),
  );
  return toPng(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
    <rect width="${WIDTH}" height="${HEIGHT}" fill="${hsl(hue, 30, 97)}"/>
    <rect width="280" height="${HEIGHT}" fill="${paint.soft}"/>
    <rect x="48" y="60" width="56" height="56" rx="13" fill="${paint.main}"/>
    ${bar(124, 78, 110, paint.ink)}${side.join('')}
    ${bar(340, 78, 320, paint.ink)}<rect x="1390" y="62" width="150" height="52" rx="10" fill="${paint.main}"/>
    ${SCREENS[screen](paint)}
  </svg>`);
}

const toPng = (svg: string) => sharp(Buffer.from(svg)).png({ compressionLevel: 1 }).toBuffer();

const hsl = (hue: number, saturation: number, lightness: number) =>
  `hsl(${hue % 360}, ${saturation}%, ${lightness}%)`;

const GLYPHS = {
  page: '<path d="M20 14h17l9 9v27H20z"/><path d="M27 30h12M27 38h12"/>',
  bubble: '<path d="M14 18h36v22H32l-9 9v-9h-9z"/><path d="M23 29h18"/>',
  bars: '<path d="M18 48V34M28 48V22M38 48V29M48 48V16"/>',
  moon: '<path d="M40 14a19 19 0 1 0 10 28A16 16 0 0 1 40 14z"/>',
  clock: '<circle cx="32" cy="32" r="18"/><path d="M32 21v11l8 5"/>',
  leaf: '<path d="M16 48C14 26 28 15 49 15c0 22-11 35-31 31"/><path d="M16 48c6-10 13-16 22-22"/>',
  quote: '<path d="M16 34h11v11H16V32c0-8 4-12 9-13M36 34h11v11H36V32c0-8 4-12 9-13"/>',
  grid: '<path d="M15 15h34v34H15zM26.500 15v34M37.500 15v34M15 26.500h34M15 37.500h34"/>',
  sun: '<circle cx="32" cy="32" r="9"/><path d="M32 12v5M32 47v5M12 32h5M47 32h5M18 18l3 3M43 43l3 3M46 18l-3 3M21 43l-3 3"/>',
  rings: '<circle cx="25" cy="32" r="12"/><circle cx="39" cy="32" r="12"/>',
  pulse: '<path d="M12 34h10l6-16 9 29 6-13h9"/>',
  path: '<circle cx="19" cy="46" r="4"/><circle cx="45" cy="18" r="4"/><path d="M23 46h14a7 7 0 0 0 0-14H27a7 7 0 0 1 0-14h14"/>',
  wave: '<path d="M14 28v8M22 20v24M30 25v14M38 15v34M46 23v18"/>',
  lens: '<circle cx="32" cy="32" r="18"/><circle cx="32" cy="32" r="8"/><path d="M32 14l7 14M50 32H35"/>',
  lock: '<rect x="17" y="29" width="30" height="21" rx="4"/><path d="M23 29v-6a9 9 0 0 1 18 0v6M32 37v5"/>',
  bolt: '<path d="M35 12L18 36h13l-3 16 18-24H33z"/>',
  cube: '<path d="M32 12l18 10v20L32 52 14 42V22zM14 22l18 10 18-10M32 32v20"/>',
  mountain: '<path d="M10 48l15-26 9 14 5-7 15 19z"/>',
  envelope: '<path d="M13 19h38v27H13zM13 20l19 15 19-15"/>',
  drop: '<path d="M32 12c9 12 14 18 14 25a14 14 0 0 1-28 0c0-7 5-13 14-25z"/>',
  check: '<circle cx="32" cy="32" r="18"/><path d="M23 32l7 7 12-14"/>',
};

type Paint = { ink: string; soft: string; main: string; pale: string; next: () => number };

const SCREENS = {
  list: (p: Paint) =>
    range(9)
      .map((n) => {
        const y = 170 + n * 88;
        return `<circle cx="372" cy="${y + 26}" r="24" fill="${n % 3 === 0 ? p.main : p.pale}"/>
          ${bar(420, y + 6, 220 + p.next() * 340, p.ink)}${bar(420, y + 34, 420 + p.next() * 420, p.pale)}
          <rect x="340" y="${y + 68}" width="1200" height="2" fill="${p.soft}"/>`;
      })
      .join(''),
  chart: (p: Paint) => {
    const bars = range(20).map((n) => {
      const height = 80 + n * 9 + p.next() * 190;
      return `<rect x="${372 + n * 57}" y="${760 - height}" width="34" height="${height}" fill="${n > 15 ? p.main : p.pale}"/>`;
    });
    const figures = range(4).map(
      (n) => bar(372 + n * 290, 190, 150, p.ink) + bar(372 + n * 290, 222, 90, p.pale),
    );
    return `<rect x="340" y="160" width="1200" height="660" rx="16" fill="#fff"/>${figures.join('')}${bars.join('')}
      <rect x="372" y="760" width="1136" height="2" fill="${p.soft}"/>`;
  },
  board: (p: Paint) =>
    range(4)
      .map((column) => {
        const x = 340 + column * 306;
        const cards = range(2 + Math.floor(p.next() * 3)).map((n) => {
          const y = 236 + n * 158;
          return `<rect x="${x + 16}" y="${y}" width="250" height="138" rx="12" fill="#fff"/>
            <rect x="${x + 36}" y="${y + 22}" width="60" height="14" rx="7" fill="${p.main}"/>
            ${bar(x + 36, y + 56, 110 + p.next() * 90, p.ink)}${bar(x + 36, y + 84, 90 + p.next() * 90, p.pale)}`;
        });
        return `<rect x="${x}" y="160" width="282" height="760" rx="16" fill="${p.soft}"/>${bar(x + 20, 190, 120, p.ink)}${cards.join('')}`;
      })
      .join(''),
  editor: (p: Paint) => {
    const lines = range(15).map((n) =>
      bar(420, 250 + n * 42, n % 5 === 4 ? 220 : 520 + p.next() * 180, n === 6 ? p.main : p.pale),
    );
    const notes = range(3).map(
      (
        n,
      ) => `<rect x="1230" y="${250 + n * 190}" width="290" height="150" rx="12" fill="${n === 1 ? p.pale : p.soft}"/>
      ${bar(1254, 282 + n * 190, 150, p.ink)}${bar(1254, 314 + n * 190, 220, '#fff')}`,
    );
    return `<rect x="360" y="150" width="820" height="850" fill="#fff"/>${bar(420, 196, 380, p.ink)}${lines.join('')}${notes.join('')}`;
  },
  calendar: (p: Paint) =>
    range(35)
      .map((n) => {
        const [x, y] = [340 + (n % 7) * 172, 170 + Math.floor(n / 7) * 160];
        const event =
          p.next() > 0.55
            ? `<rect x="${x + 12}" y="${y + 52}" width="136" height="30" rx="8" fill="${p.next() > 0.6 ? p.main : p.pale}"/>`
            : '';
        return `<rect x="${x}" y="${y}" width="162" height="150" rx="10" fill="#fff"/>${bar(x + 14, y + 18, 26, p.ink)}${event}`;
      })
      .join(''),
  chat: (p: Paint) =>
    range(6)
      .map((n) => {
        const isOwn = n % 2 === 1;
        const width = 380 + p.next() * 320;
        const [x, y] = [isOwn ? 1_540 - width : 340, 160 + n * 128];
        return `<rect x="${x}" y="${y}" width="${width}" height="104" rx="22" fill="${isOwn ? p.main : '#fff'}"/>
          ${bar(x + 30, y + 28, width - 90, isOwn ? '#fff' : p.ink)}${bar(x + 30, y + 60, width * 0.5, isOwn ? p.pale : p.pale)}`;
      })
      .join(''),
  map: (p: Paint) => {
    const roads = range(6).map(
      (n) =>
        `<path d="M340 ${200 + n * 130} Q ${700 + p.next() * 300} ${120 + p.next() * 760} 1540 ${170 + n * 140}" fill="none" stroke="#fff" stroke-width="${10 + p.next() * 12}"/>`,
    );
    const pins = range(7).map(
      () =>
        `<circle cx="${460 + p.next() * 960}" cy="${230 + p.next() * 620}" r="20" fill="${p.main}" stroke="#fff" stroke-width="7"/>`,
    );
    return `<rect x="340" y="160" width="1200" height="780" rx="16" fill="${p.soft}"/>
      <path d="M340 700 C 640 560 820 860 1540 640 V 924 Q 1540 940 1524 940 H 356 Q 340 940 340 924 Z" fill="${p.pale}"/>${roads.join('')}${pins.join('')}`;
  },
  terminal: (p: Paint) => {
    const lines = range(17).map(
      (n) =>
        bar(388, 220 + n * 40, 60, p.main) +
        bar(468, 220 + n * 40, 180 + p.next() * 740, n % 6 === 3 ? '#f2bc62' : '#b0b4b7'),
    );
    return `<rect x="340" y="160" width="1200" height="780" rx="16" fill="#14181a"/>${lines.join('')}`;
  },
};

function bar(x: number, y: number, width: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${Math.round(width)}" height="18" rx="9" fill="${fill}"/>`;
}

const range = (length: number) => Array.from({ length }, (_, n) => n);

/** Returns the same numbers for the same seed, so a picture is drawn alike every time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

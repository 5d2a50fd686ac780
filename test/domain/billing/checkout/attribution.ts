import test from 'ava';
import {
  clickSource,
  decideAttribution,
  normaliseCampaign,
} from '../../../../domain/billing/checkout/attribution.ts';

const campaigns: [string, string | null][] = [
  ['newsletter', 'newsletter'],
  ['Black Friday 2026', 'black-friday-2026'],
  ['Été à São Paulo', 'ete-a-sao-paulo'],
  ['--edge--', 'edge'],
  ['a_b.c', 'a-b-c'],
  ['ﬁne', 'fine'],
  ['', null],
  ['***', null],
  ['日本', null],
  ['abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrstuvwx'],
  ['abcdefghijklmnopqrstuvw-xyz', 'abcdefghijklmnopqrstuvw'],
];

for (const [raw, slug] of campaigns) {
  test(`src ${JSON.stringify(raw)} is normalised into ${slug}`, (t) => {
    t.is(normaliseCampaign(raw), slug);
  });
}

test('the first word of the campaign is the service source where it is one of the closed set', (t) => {
  t.is(decideAttribution('github-readme').serviceSource, 'github');
  t.is(decideAttribution('Docs').serviceSource, 'docs');
  t.is(decideAttribution('githubreadme').serviceSource, 'buy_link');
  t.is(decideAttribution(null).serviceSource, 'buy_link');
});

test('the raw value is kept separately, up to 512 characters', (t) => {
  t.is(decideAttribution('Été!').serviceCampaignRaw, 'Été!');
  t.is(decideAttribution('x'.repeat(600)).serviceCampaignRaw?.length, 512);
  t.is(decideAttribution(null).serviceCampaignRaw, null);
});

test('a click is filed as buy-link:<slug>, without src as buy-link', (t) => {
  t.is(clickSource('launch'), 'buy-link:launch');
  t.is(clickSource(null), 'buy-link');
});

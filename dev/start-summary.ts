import { spaceOut, TEST_CARDS } from '../packages/simulator/page/cards.ts';
import { alignColumns } from '../scripts/columns.ts';
import type { Stack } from './stack.ts';

const SHOWN_CARDS = 3;

/** The short table at the end of a start: where everything is, and who may sign in. */
export function describeStack({ addresses, people }: Stack): string {
  const places = [
    ['Store', addresses.baseUrl],
    ['Console', `${addresses.baseUrl}/console`],
    ['Docs', `${addresses.baseUrl}/docs`],
    ['Temporal UI', addresses.temporalUiUrl],
    ['Mailbox', addresses.mailboxUrl],
    ['Payment simulator', addresses.simulatorUrl],
  ];
  const cards = TEST_CARDS.slice(0, SHOWN_CARDS).map(({ number, effect }) => [
    spaceOut(number),
    effect,
  ]);
  const accounts = people.map(({ email, password, roles }) => [
    email,
    password,
    roles.join(', ') || '-',
  ]);
  return [
    '',
    ...alignColumns(places),
    '',
    ...alignColumns([['Demo account', 'Password', 'Roles'], ...accounts]),
    '',
    ...alignColumns([['Test card', 'What happens'], ...cards]),
    '  The checkout page lists more cards.',
    '',
    `What next: open ${addresses.baseUrl}/buy/paper-trail, sign in as bob and pay with the first card; or run \`npm run demo\` in another terminal.`,
  ].join('\n');
}

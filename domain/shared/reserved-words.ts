import { foldLookAlikes } from './look-alikes.ts';

// Names that people take for the platform, its staff, or a part of the site.
const RESERVED = new Set(
  `abuse account accounts admin administrator api app apps assets auth billing blog buy callback
  checkout console contact dashboard dmca docs download email everyone everybody favicon
  feedback finance gatehouse health help home hostmaster info internal invoice invoices legal library
  localhost login logout mail mailbox mailer me member members metrics mod moderator new news nobody
  noreply null oauth official operator operators owner owners password passkey payment payments payouts
  people person postmaster press privacy product products public refund refunds register robots root
  sale sales search secure security settings signin signout signup sitemap
  staff static status store subscribe superuser support system team teams terms test token trust
  undefined unknown user users verified verify webhook webhooks webmaster wellknown www you`
    .split(/\s+/)
    .map(foldLookAlikes),
);

/** Dashes, underscores and digits that look like letters do not make a new word. */
export function isReserved(name: string): boolean {
  return RESERVED.has(foldLookAlikes(name.replaceAll(/[-_]/g, '')));
}

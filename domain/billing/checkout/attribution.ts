// The source of a purchase: the buy link's `src`, normalised.
import { toDashed } from '../../shared/normalise.ts';

export const SERVICE_SOURCES = [
  'buy_link',
  'website',
  'docs',
  'github',
  'launch',
  'email',
  'social',
  'api',
  'store',
  'other',
] as const;

type ServiceSource = (typeof SERVICE_SOURCES)[number];

export type Attribution = {
  serviceSource: ServiceSource;
  serviceCampaign: string | null;
  serviceCampaignRaw: string | null;
};

const CAMPAIGN_LENGTH = 24;
const RAW_LENGTH = 512;

/**
 * Drops accents, lowers the case, turns other runs into a dash; at most 24 characters, no dash at
 * the ends.
 */
export function normaliseCampaign(src: string): string | null {
  return toDashed(src, { longest: CAMPAIGN_LENGTH, longestRead: RAW_LENGTH }) || null;
}

/** The value as it was sent, up to 512 characters. */
export function truncateSource(src: string): string {
  return [...src].slice(0, RAW_LENGTH).join('');
}

/** The campaign's first word when it is in the closed set, else `buy_link`. */
export function decideAttribution(src: string | null): Attribution {
  const campaign = src === null ? null : normaliseCampaign(src);
  const firstWord = campaign?.split('-')[0];
  return {
    serviceSource: SERVICE_SOURCES.find((source) => source === firstWord) ?? 'buy_link',
    serviceCampaign: campaign,
    serviceCampaignRaw: src === null ? null : truncateSource(src),
  };
}

/** The name under which clicks are counted. */
export function clickSource(campaign: string | null): string {
  return campaign === null ? 'buy-link' : `buy-link:${campaign}`;
}
